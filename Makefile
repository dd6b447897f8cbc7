# `make run` starts Clew, `make test` runs every check, `make check` those that take minutes less.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NPM := npm --prefix frontend --no-fund --no-audit
export HF_HUB_OFFLINE := 1
export PYTHONUNBUFFERED := 1
# Compiled files are kept, whatever the shell says: pytest compiles every test, and each process that a test starts
# the modules it imports.
export PYTHONDONTWRITEBYTECODE :=
# Test files are distributed over one process per core, each with one compute thread. The fixed hash seed gives all
# processes the same test ids.
PYTEST := OMP_NUM_THREADS=1 PYTHONHASHSEED=0 $(BIN)/pytest --numprocesses auto --dist loadfile

.PHONY: help run build wheel install install-dev check check-front test check-versions \
        format lint lint-python types api-types imports test-quick test-engine test-web test-front test-installed test-e2e bench demo-questions demo-checkpoint clean

help: ## list the commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

check-versions:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Clew needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@command -v node >/dev/null || { echo "Clew needs Node 20 or newer to build its pages; install it and try again."; exit 1; }
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' \
	  || { echo "Clew needs Node 20 or newer; this is $$(node --version)."; exit 1; }

$(VENV)/.core: requirements.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-llm.txt $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

frontend/node_modules/.installed: frontend/package.json frontend/package-lock.json
	$(NPM) ci
	@touch $@

# What the pages know of the API: TypeScript types made from the server's OpenAPI schema.
API_TYPES := frontend/node_modules/.openapi.json
$(API_TYPES): $(VENV)/.core frontend/node_modules/.installed frontend/api-types.js $(shell find webapp retrieval -name '*.py' 2>/dev/null)
	$(BIN)/python manage.py spectacular --fail-on-warn --format openapi-json --file $@
	node frontend/api-types.js $@
api-types: $(API_TYPES) ## make the pages' types from the API's schema

frontend/dist/index.html: $(API_TYPES) $(shell find frontend/src frontend/index.html frontend/*.ts frontend/*.json -type f 2>/dev/null)
	$(NPM) run build
	@touch $@

install: check-versions $(VENV)/.core frontend/node_modules/.installed ## install what running needs
install-dev: check-versions $(VENV)/.dev frontend/node_modules/.installed ## install what checking needs too
build: install frontend/dist/index.html ## build the pages

wheel: build ## one wheel with the built pages inside, in dist/
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	rm -rf build *.egg-info

run: build ## install, build, start everything and load the demo graph
	@exec $(BIN)/python manage.py up

check: install-dev format lint-python imports ## Python, types of the pages, and all tests but the slow ones
	@$(MAKE) --no-print-directory --jobs 2 types test-quick
	@echo "Checked without the slow tests and the pages' tests; make test runs them all."

check-front: lint types test-front ## check the pages alone

test: check-versions ## every check
	@$(MAKE) --no-print-directory --jobs 2 install-dev
	@$(MAKE) --no-print-directory format imports api-types
	@$(MAKE) --no-print-directory --jobs 2 lint types
	@$(MAKE) --no-print-directory test-engine test-web
	@$(MAKE) --no-print-directory --jobs 2 test-front test-installed
	@$(MAKE) --no-print-directory test-e2e
	@echo "All checks passed."

format: install-dev
	$(BIN)/ruff format --check .

lint-python: install-dev
	$(BIN)/ruff check .

lint: lint-python api-types
	$(NPM) run lint

types: install-dev api-types
	$(BIN)/mypy clew retrieval worker webapp
	$(NPM) run typecheck

imports: install-dev
	$(BIN)/lint-imports

test-quick: install-dev
	$(PYTEST) -m "not slow" tests/contracts tests/deploy tests/retrieval tests/webapp tests/worker

test-engine: install-dev
	$(PYTEST) tests/retrieval

test-web: install-dev build
	$(PYTEST) tests/contracts tests/deploy tests/webapp tests/worker

test-front: install-dev api-types
	$(NPM) test

test-installed: install-dev build
	$(BIN)/pytest tests/installed

test-e2e: install-dev build
	$(BIN)/python -m tests.e2e.run

bench: install-dev build ## measure, and write docs/benchmarks.md
	$(BIN)/python -m tests.benchmarks

demo-checkpoint: install-dev ## train the checkpoint that comes with the demo graph again
	$(BIN)/python -m retrieval build-weights demo

clean: ## remove what was installed and built (data in .clew stays)
	rm -rf $(VENV) build dist frontend/node_modules frontend/dist frontend/dist-widget .mypy_cache .ruff_cache .pytest_cache

"""``python -m tests.benchmarks.data_models_fetch DIR``: fill DIR with the packages that the data-model suite reads.

Packages come from the registries that pip and npm are configured with, and from GitHub; what is already in DIR is kept.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.data_models_sets import Package, load_sets

_ARCHIVES = (".tar.gz", ".tgz", ".zip", ".whl")


def fetch(package: Package, home: Path) -> Path:
    """Download a package and unpack it, with the archives inside it; return its folder.

    Raises:
        subprocess.CalledProcessError: the registry does not have it, or is not reached.
    """
    folder = home / package.folder
    if folder.exists():
        return folder
    home.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=home) as scratch:
        contents = Path(scratch) / "contents"
        if package.registry == "github":
            subprocess.run(["git", "clone", "--quiet", f"https://github.com/{package.name}", contents], check=True)
            subprocess.run(["git", "checkout", "--quiet", package.version], check=True, cwd=contents)
        else:
            subprocess.run(_make_command(package, scratch), check=True, cwd=scratch, stdout=subprocess.DEVNULL)
            (archive,) = Path(scratch).iterdir()
            unpack(archive, contents)
        contents.rename(folder)
    return folder


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into a folder; archives inside it become folders, compressed files become plain ones."""
    if archive.name.endswith((".zip", ".whl")):
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(folder)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        suffix = next((suffix for suffix in _ARCHIVES if path.name.endswith(suffix)), None)
        if path.name.startswith("._"):
            path.unlink()
        elif suffix:
            unpack(path, path.with_name(path.name.removesuffix(suffix)))
            path.unlink()
        elif path.suffix == ".gz":
            with gzip.open(path) as compressed, path.with_suffix("").open("wb") as plain:
                shutil.copyfileobj(compressed, plain)
            path.unlink()


def _make_command(package: Package, scratch: str) -> list[str]:
    if package.registry == "npm":
        return ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
    wanted = f"{package.name}=={package.version}"
    source = ["--no-binary", ":all:"] if package.registry == "sdist" else []
    return [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *source, "--dest", scratch, wanted]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.data_models_fetch", description=__doc__)
    parser.add_argument("folder", type=Path)
    home = parser.parse_args().folder
    for package in sorted(
        {one.package for one in load_sets() if one.package.registry}, key=lambda package: package.folder
    ):
        print(fetch(package, home), flush=True)


if __name__ == "__main__":
    main()

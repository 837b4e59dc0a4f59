"""Settings of any server, declared in a table."""

from __future__ import annotations

import pytest

from rocketpy.remoting.settings import ConfigError, Settings, read_keys

KEYS = read_keys(
    "# a comment\n"
    "Owner\tname\tString\timportant\tnobody\n"
    "Owner\tport\tint\t\t10911\n"
    "Owner\tsize\tlong\t\t1\n"
    "Owner\tshare\tdouble\t\t0.75\n"
    "Owner\tenabled\tboolean\timportant\tfalse\n"
)


def test_unset_settings_have_their_defaults() -> None:
    settings = Settings(KEYS, {})
    assert (settings.text("name"), settings.number("port"), settings.flag("enabled")) == (
        "nobody",
        10911,
        False,
    )
    assert not settings.is_set("port")
    assert list(settings.shown()) == ["name", "port", "size", "share", "enabled"]
    assert list(settings.shown(important_only=True)) == ["name", "enabled"]


def test_values_are_kept_as_java_shows_them() -> None:
    given = {"name": " x ", "port": " +0080", "size": "99999999999", "share": "1", "enabled": "TRUE"}
    assert Settings(KEYS, given).shown() == {
        "name": "x",
        "port": "80",
        "size": "99999999999",
        "share": "1.0",
        "enabled": "true",
    }


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("port", "99999999999", "a whole number"),
        ("size", "", "a whole number"),
        ("share", "much", "a number"),
        ("enabled", "on", "true or false"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"^{name} = '{value}': {expected} was expected$"):
        Settings(KEYS, {name: value})


def test_requests_change_what_they_can() -> None:
    settings = Settings(KEYS, {"extra": "1"})
    settings.update_as_java({"port": "1", "size": " 2", "enabled": "on", "extra": "2", "other": "3"})
    assert (settings.number("port"), settings.number("size"), settings.flag("enabled")) == (1, 1, False)
    assert settings.shown()["extra"] == "2"
    assert "other" not in settings.shown()

"""Our tables of codes and headers against those of the Java classes: no difference."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from compat_tests.java.driver import JavaDriver
from compat_tests.java.versions import CURRENT, OLD, Version
from rocketmq_protocol import LanguageCode, RequestCode, ResponseCode, javaisms
from rocketmq_protocol.headers import HEADERS, Header

REMOTING: Final = "org.apache.rocketmq.remoting.protocol."
COMMON_49: Final = "org.apache.rocketmq.common.protocol."
JAVA_TYPES: Final = {
    "String": "string",
    "int": "int",
    "Integer": "int",
    "long": "long",
    "Long": "long",
    "boolean": "boolean",
    "Boolean": "boolean",
    "BoundaryType": "BoundaryType",
}


@pytest.fixture(scope="module")
def java_headers(java_driver: JavaDriver) -> dict[str, dict[str, Any]]:
    """Every header class of 5.5.0 as Java reflects on it, by full class name."""
    found = [json.loads(line) for line in java_driver("ReflectHeaders")]
    return {header["class"]: header for header in found}


@pytest.fixture(scope="module")
def our_headers() -> dict[str, type[Header]]:
    return {header.java_class: header for header in HEADERS.values()}


def java_codes(java_driver: JavaDriver, version: Version, *classes: str) -> dict[str, int]:
    lines = java_driver("ReflectCodes", *classes, version=version)
    return {code["name"]: code["value"] for code in map(json.loads, lines)}


def test_request_codes_are_those_of_both_releases(java_driver: JavaDriver) -> None:
    current = java_codes(java_driver, CURRENT, REMOTING + "RequestCode")
    old = java_codes(java_driver, OLD, COMMON_49 + "RequestCode")
    assert len(current) == 169
    assert {name: int(code) for name, code in RequestCode.__members__.items()} == old | current


def test_response_codes_are_those_of_both_releases(java_driver: JavaDriver) -> None:
    system = REMOTING + "RemotingSysResponseCode"
    current = java_codes(java_driver, CURRENT, system, REMOTING + "ResponseCode")
    old = java_codes(java_driver, OLD, system, COMMON_49 + "ResponseCode")
    assert len(current) == 68
    assert {name: int(code) for name, code in ResponseCode.__members__.items()} == old | current


@pytest.mark.parametrize("version", [CURRENT, OLD])
def test_every_language_is_known(java_driver: JavaDriver, version: Version) -> None:
    languages = java_codes(java_driver, version, REMOTING + "LanguageCode")
    ours = {name: int(code) for name, code in LanguageCode.__members__.items()}
    assert languages.items() <= ours.items()
    assert version == OLD or languages == ours


def test_header_classes_are_those_of_java(
    java_headers: dict[str, dict[str, Any]], our_headers: dict[str, type[Header]]
) -> None:
    assert len(java_headers) == 146
    assert our_headers.keys() == java_headers.keys()
    assert {name.rpartition(".")[2] for name in java_headers} == HEADERS.keys()


def test_header_fields_are_those_of_java(
    java_headers: dict[str, dict[str, Any]], our_headers: dict[str, type[Header]]
) -> None:
    """Names, types, required marks, declaring classes and order, inherited fields included."""
    java = {
        name: [
            (field["name"], JAVA_TYPES[field["type"]], field["required"], field["declared_in"])
            for field in header["fields"]
            if not field["static"]
        ]
        for name, header in java_headers.items()
    }
    ours = {
        name: [
            (field.name, field.java_type, field.required, field.declared_in) for field in header.wire_fields()
        ]
        for name, header in our_headers.items()
    }
    assert {name: fields for name, fields in ours.items() if fields != java[name]} == {}
    assert sum(map(len, java.values())) > 700


def test_leaving_static_fields_out_changes_no_order(java_headers: dict[str, dict[str, Any]]) -> None:
    """Java collects them in the same hash set; two classes have one, and our field order ignores them."""
    with_static_fields = 0
    for header in java_headers.values():
        declared = [(field["declared_in"], field["name"]) for field in header["fields"]]
        static = [field["name"] for field in header["fields"] if field["static"]]
        travelling = [field for field in declared if field[1] not in static]
        order = [name for name in javaisms.field_order(declared) if name not in static]
        assert order == javaisms.field_order(travelling), header["class"]
        with_static_fields += bool(static)
    assert with_static_fields == 2


def test_headers_inherit_as_in_java(
    java_headers: dict[str, dict[str, Any]], our_headers: dict[str, type[Header]]
) -> None:
    ours = {
        name: [
            base.java_class for base in header.__mro__[1:] if issubclass(base, Header) and base is not Header
        ]
        for name, header in our_headers.items()
    }
    assert ours == {name: header["ancestors"] for name, header in java_headers.items()}


def test_a_fresh_header_puts_on_the_wire_what_javas_does(
    java_headers: dict[str, dict[str, Any]], our_headers: dict[str, type[Header]]
) -> None:
    """Only fields without a required mark can be left out, so only those have defaults to compare.

    Java stamps some controller headers with its clock; ours have none, so their invokeTime is the caller's.
    """
    java, ours = {}, {}
    for name, header in java_headers.items():
        if header["abstract"]:
            continue
        required = {
            field.name: field.attribute for field in our_headers[name].wire_fields() if field.required
        }
        defaults = {
            key: "0" if key == "invokeTime" else text for key, text in header["default_ext_fields"].items()
        }
        java[name] = {key: text for key, text in defaults.items() if key not in required}
        ours[name] = our_headers[name](**dict.fromkeys(required.values())).to_ext_fields()
    assert ours == java


def test_the_same_headers_use_the_fast_codec(
    java_headers: dict[str, dict[str, Any]], our_headers: dict[str, type[Header]]
) -> None:
    assert {name for name, header in our_headers.items() if header.fast} == {
        name for name, header in java_headers.items() if header["fast"]
    }


def test_headers_name_the_request_that_java_gives_them(
    java_headers: dict[str, dict[str, Any]], our_headers: dict[str, type[Header]]
) -> None:
    """Two response headers carry the mark as well; it says which request they answer."""
    claimed = {
        name: header["request_code"]
        for name, header in java_headers.items()
        if header["request_code"] is not None and not name.endswith("ResponseHeader")
    }
    missing = {name: code for name, code in claimed.items() if code not in our_headers[name].requests}
    assert missing == {}
    assert len(claimed) > 80

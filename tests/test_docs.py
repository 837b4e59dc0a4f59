"""The documents: their code runs, their links lead somewhere, the commands they name exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from configparser import ConfigParser
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "protocol/*.md", "protocol/vectors/*.md")
    for path in ROOT.glob(pattern)
)
# A page that is nothing but another document of the tree.
INCLUDE = re.compile(r"^```\{include\} (\S+)$", re.MULTILINE)

CODE_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
TOX_RUN = re.compile(r"\btox(?: run)? -e (\S+)")
TREE = ("compat_tests/", "docs/", "protocol/", "rocketpy/", "tests/", "tools/")


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def code_blocks(path: Path, language: str) -> Iterator[tuple[int, str]]:
    """Line number and text of each block in that language."""
    for found in CODE_BLOCK.finditer(text_of(path)):
        if found[1] == language:
            yield text_of(path).count("\n", 0, found.start(2)) + 1, found[2]


def prose(path: Path) -> str:
    return CODE_BLOCK.sub("", text_of(path))


def headings(path: Path) -> set[str]:
    """Anchors of a document's headings, those of the documents it includes among them."""
    included = [path.parent / name for name in INCLUDE.findall(text_of(path))]
    own = {anchor(heading) for heading in HEADING.findall(prose(path))}
    return own.union(*(headings(document) for document in included))


def anchor(heading: str) -> str:
    """The anchor that MyST and code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


PYTHON_BLOCKS = [
    pytest.param(path, line, code, id=f"{name_of(path)}:{line}")
    for path in DOCUMENTS
    for line, code in code_blocks(path, "python")
]


@pytest.mark.parametrize(("path", "line", "code"), PYTHON_BLOCKS)
def test_python_code_in_a_document_runs(
    path: Path, line: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    padded = "\n" * (line - 1) + code  # so that a traceback shows the document's own line
    exec(compile(padded, str(path), "exec"), {"__name__": "document"})


def test_there_is_code_to_run_in_the_readme_and_the_guide() -> None:
    documents = {block.values[0] for block in PYTHON_BLOCKS}
    assert {ROOT / "README.md", ROOT / "docs" / "protocol-guide.md"} <= documents


def test_shown_output_is_what_the_code_before_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs" / "getting-started.md"
    (shown,) = [text for _, text in code_blocks(page, "text")]
    *_, (_, code) = code_blocks(page, "python")
    exec(compile(code, str(page), "exec"), {"__name__": "document"})
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_of_a_document_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(prose(path)):
        place, _, fragment = target.partition("#")
        assert "://" not in place, f"{target}: the documents stand on their own"
        document = (path.parent / place).resolve() if place else path
        assert document.exists(), target
        assert not fragment or fragment in headings(document), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_files_that_a_document_mentions_exist(path: Path) -> None:
    for mentioned in INLINE_CODE.findall(prose(path)):
        if mentioned.startswith(TREE) and " " not in mentioned and "*" not in mentioned:
            assert (ROOT / mentioned).exists(), mentioned


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_includes_of_a_document_exist(path: Path) -> None:
    for included in INCLUDE.findall(text_of(path)):
        assert (path.parent / included).is_file(), included


@cache
def tox_environments() -> frozenset[str]:
    parser = ConfigParser()
    parser.read(ROOT / "tox.ini", encoding="utf-8")
    return frozenset(name.strip() for name in parser["tox"]["env_list"].split(","))


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_tox_environments_that_a_document_names_exist(path: Path) -> None:
    assert set(TOX_RUN.findall(text_of(path).replace("`", " "))) <= tox_environments()


def test_every_tox_environment_is_described() -> None:
    described = set(INLINE_CODE.findall(text_of(ROOT / "docs" / "testing.md")))
    assert tox_environments() <= described


def test_every_page_is_reachable_from_the_table_of_contents() -> None:
    docs = ROOT / "docs"
    listed = {docs / "index.md"}
    for index in (docs / "index.md", docs / "api" / "index.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text_of(index), re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {index.parent / f"{entry}.md" for entry in entries}
    assert {path for path in DOCUMENTS if path.is_relative_to(docs)} == listed

"""The Apache releases the compatibility tests talk to."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

Version = Literal["5.5.0", "4.9.7"]

CURRENT: Final[Version] = "5.5.0"
OLD: Final[Version] = "4.9.7"

POMS: Final = Path(__file__).with_name("maven")


def pom_of(version: Version) -> Path:
    """The Maven project that names the jars of one release."""
    return POMS / version / "pom.xml"

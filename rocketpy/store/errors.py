"""What can go wrong with a store."""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot do what it was asked to."""


class StoreCorrupt(StoreError):
    """A file is not what it should be; the text names it and says what to do."""


class StoreLocked(StoreError):
    """Another process has the store open."""

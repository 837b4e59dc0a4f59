"""The order in which Java's maps and sets give back what was put into them.

A JSON body shows a Java map in its iteration order. For the hashed maps that order follows from the keys'
hash codes, from how large the table is, and, among keys of one bucket, from the order of the puts. Each class
here stands for one kind of Java map and says where its entries come out. (A bucket of eight entries becomes a
tree in Java and may then come out otherwise; a table filled by hash gives that about once in ten million.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from rocketmq_protocol import javaisms

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

HashCode = Callable[[Any], int]


class JavaOrder(Protocol):
    """One kind of Java map, or of the set made of its keys."""

    def arrange(self, keys: Collection[K], hash_code: HashCode) -> Collection[K]:
        """The keys, given in the order of their puts, in the order in which Java iterates over them."""


@dataclass(frozen=True, slots=True)
class AsGiven:
    """java.util.LinkedHashMap: the order of the puts."""

    def arrange(self, keys: Collection[K], hash_code: HashCode) -> Collection[K]:
        return keys


@dataclass(frozen=True, slots=True)
class TreeMap:
    """java.util.TreeMap: natural order, which for objects is their `java_sort_key`."""

    def arrange(self, keys: Collection[K], hash_code: HashCode) -> Collection[K]:
        return sorted(keys, key=natural_order)


@dataclass(frozen=True, slots=True)
class HashMap:
    """java.util.HashMap that grew from `initial` buckets.

    One that `copied` another map, or took it by putAll, was sized for it at once; a HashSet made from a
    collection likewise, but with 16 buckets at least.
    """

    initial: int = javaisms.DEFAULT_CAPACITY
    copied: bool = False

    def arrange(self, keys: Collection[K], hash_code: HashCode) -> Collection[K]:
        initial = max(self.initial, table_size(int(len(keys) / 0.75) + 1)) if self.copied else self.initial
        return javaisms.hash_order(keys, initial, hash_code)


@dataclass(frozen=True, slots=True)
class SizedHashSet:
    """`new HashSet<>(n)` that then took n elements: it starts too small, and grows past three quarters."""

    def arrange(self, keys: Collection[K], hash_code: HashCode) -> Collection[K]:
        return javaisms.hash_order(keys, table_size(len(keys)), hash_code)


@dataclass(frozen=True, slots=True)
class ConcurrentHashMap:
    """java.util.concurrent.ConcurrentHashMap.

    `initial` is the constructor's argument, `put_all` says that putAll filled it, and `source` is the map
    that its entries came from, whose order is then the order of the puts.
    """

    initial: int | None = None
    put_all: bool = False
    source: JavaOrder | None = None

    def arrange(self, keys: Collection[K], hash_code: HashCode) -> Collection[K]:
        if self.source is not None:
            keys = self.source.arrange(keys, hash_code)
        capacity = self._capacity(len(keys))
        spreads = {key: spread(hash_code(key)) for key in keys}
        if len(keys) < capacity - (capacity >> 2):
            return sorted(keys, key=lambda key: spreads[key] & (capacity - 1))
        return _fill(spreads, capacity)

    def _capacity(self, size: int) -> int:
        """Buckets before the first put."""
        if self.initial is None:
            capacity = javaisms.DEFAULT_CAPACITY
        else:
            capacity = table_size(self.initial + (self.initial >> 1) + 1)
        if self.put_all:
            # tryPresize: makes room for 1.5 times the entries, then for 4/3 of that.
            wanted = table_size(size + (size >> 1) + 1)
            capacity = wanted if self.initial is None else max(capacity, wanted)
            while wanted > capacity - (capacity >> 2):
                capacity *= 2
        return capacity


def _fill(spreads: Mapping[K, int], capacity: int) -> list[K]:
    """Put one key after the other, and double the table whenever it is three quarters full."""
    bins: list[list[K]] = [[] for _ in range(capacity)]
    for size, (key, hashed) in enumerate(spreads.items(), start=1):
        bins[hashed & (len(bins) - 1)].append(key)
        while size >= len(bins) - (len(bins) >> 2):
            bins = _transfer(bins, spreads)
    return [key for members in bins for key in members]


def _transfer(bins: list[list[K]], spreads: Mapping[K, int]) -> list[list[K]]:
    """Double the table as ConcurrentHashMap.transfer does.

    The tail of a bin that goes to one new bin keeps its order; what stands before it is turned around.
    """
    capacity = len(bins)
    grown: list[list[K]] = [[] for _ in range(2 * capacity)]
    for index, members in enumerate(bins):
        if not members:
            continue
        tail = len(members) - 1
        last_bit = spreads[members[tail]] & capacity
        while tail and spreads[members[tail - 1]] & capacity == last_bit:
            tail -= 1
        for key in reversed(members[:tail]):
            grown[index + (spreads[key] & capacity)].append(key)
        grown[index + last_bit].extend(members[tail:])
    return grown


def spread(hash_code: int) -> int:
    """HashMap.hash, ConcurrentHashMap.spread: the upper half of a hash code folded into the lower."""
    unsigned = hash_code & 0xFFFFFFFF
    return (unsigned ^ (unsigned >> 16)) & 0x7FFFFFFF


def table_size(wanted: int) -> int:
    """HashMap.tableSizeFor: the next power of two."""
    return 1 << (wanted - 1).bit_length() if wanted > 1 else 1


def objects_hash(*values: object) -> int:
    """java.util.Objects.hash, which most hashCode methods spell out for their fields."""
    result = 1
    for value in values:
        if isinstance(value, bool):
            hashed = 1231 if value else 1237
        elif isinstance(value, AbstractSet):
            hashed = sum(javaisms.java_hash(element) for element in value)
        else:
            hashed = 0 if value is None else javaisms.java_hash(value)
        result = 31 * result + hashed
    return javaisms.to_int32(result)


def natural_order(key: Any) -> Any:
    """Sorts as Comparable does: text by its UTF-16 units, objects by their `java_sort_key`."""
    if isinstance(key, str):
        return key.encode("utf-16-be", "surrogatepass")
    if isinstance(key, int):
        return key
    return key.java_sort_key()


AS_GIVEN: Final = AsGiven()


class JavaTable(dict[K, V]):
    """A dict that stands for another kind of Java map than its field usually holds.

    Decoding makes these too: a table that came off the wire keeps the order in which it came, for the size of
    its sender's table may have a history. Once keys are added or taken away, the kind of its field decides.
    """

    __slots__ = ("_kind", "_size")

    def __init__(
        self, entries: Mapping[K, V] | Iterable[tuple[K, V]] = (), kind: JavaOrder = AS_GIVEN
    ) -> None:
        super().__init__(entries)
        self._kind = kind
        self._size = len(self)

    def kind_or(self, usual: JavaOrder) -> JavaOrder:
        """The order to write in, given the usual kind of the field."""
        return usual if self._kind is AS_GIVEN and len(self) != self._size else self._kind


class JavaSet(frozenset[T]):
    """A set that keeps its elements in order: by default the order given, as when it came off the wire."""

    __slots__ = ("_kind", "_order")
    _kind: JavaOrder
    _order: tuple[T, ...]

    def __new__(cls, elements: Iterable[T] = (), kind: JavaOrder = AS_GIVEN) -> JavaSet[T]:
        order = tuple(dict.fromkeys(elements))
        made = super().__new__(cls, order)
        made._kind = kind
        made._order = order
        return made

    def __iter__(self) -> Iterator[T]:
        return iter(self._order)

    @property
    def kind(self) -> JavaOrder:
        """The kind of Java set it stands for."""
        return self._kind

"""Brokers as the name server sees them: what they say of themselves, and what is remembered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from rocketmq_protocol.bodies import DataVersion, TopicConfigAndMappingSerializeWrapper

MASTER_ID: Final = 0
# RouteInfoManager.DEFAULT_BROKER_CHANNEL_EXPIRED_TIME
EXPIRY_SECONDS: Final = 120.0


class Member(NamedTuple):
    """One broker process, as Java's BrokerAddrInfo tells them apart."""

    cluster: str
    address: str

    def __str__(self) -> str:
        return f"{self.address} of {self.cluster}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What a broker says of itself. One older than 5.0 says nothing of `acting_master`."""

    member: Member
    name: str
    broker_id: int
    ha_address: str
    connection: object
    topics: TopicConfigAndMappingSerializeWrapper
    filter_servers: list[str] = field(default_factory=list)
    zone: str | None = None
    expiry_seconds: float = EXPIRY_SECONDS
    acting_master: bool | None = None

    @property
    def version(self) -> DataVersion:
        """The age of its topics."""
        return self.topics.data_version or DataVersion()


@dataclass(slots=True)
class Broker:
    """All members that share a broker name, by id."""

    cluster: str
    name: str
    addresses: dict[int, str] = field(default_factory=dict)
    zone: str | None = None
    acting_master: bool = False

    @property
    def lowest_id(self) -> int:
        """The id of the master, or of the slave that acts as one; 0 where there is no one."""
        return min(self.addresses, default=MASTER_ID)


@dataclass(slots=True)
class LiveBroker:
    """What is remembered of one member from its last words."""

    heard_at: float
    expiry_seconds: float
    version: DataVersion
    connection: object
    ha_address: str


@dataclass(frozen=True, slots=True)
class LowestIdChange:
    """Another member of a broker name has the lowest id now."""

    addresses: dict[int, str]
    offline_address: str | None = None
    ha_address: str | None = None

    @property
    def lowest_id(self) -> int:
        """The id that is the lowest now."""
        return min(self.addresses)

    @property
    def to_tell(self) -> list[str]:
        """RouteInfoManager.chooseBrokerAddrsToNotify: all who stay, or all who were there before."""
        if self.offline_address is not None or len(self.addresses) == 1:
            return list(self.addresses.values())
        return [address for number, address in self.addresses.items() if number != self.lowest_id]


@dataclass(frozen=True, slots=True)
class Registered:
    """What a broker learns when it registers."""

    ha_address: str | None = None
    master_address: str | None = None
    change: LowestIdChange | None = None

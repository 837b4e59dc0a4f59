"""Administration: accounts, broker settings and figures."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Long, header


@header(RequestCode.AUTH_CREATE_USER)
class CreateUserRequestHeader(Header):
    """Create an account; the body holds it."""

    username: str | None = None


@header(RequestCode.AUTH_UPDATE_USER)
class UpdateUserRequestHeader(Header):
    """Change an account; the body holds it."""

    username: str | None = None


@header(RequestCode.AUTH_DELETE_USER)
class DeleteUserRequestHeader(Header):
    """Delete an account."""

    username: str | None = None


@header(RequestCode.AUTH_GET_USER)
class GetUserRequestHeader(Header):
    """Ask for an account."""

    username: str | None = None


@header(RequestCode.AUTH_LIST_USER)
class ListUsersRequestHeader(Header):
    """Ask for accounts by name."""

    filter: str | None = None


@header(RequestCode.AUTH_CREATE_ACL)
class CreateAclRequestHeader(Header):
    """Grant rights; the body holds them."""

    subject: str | None = None


@header(RequestCode.AUTH_UPDATE_ACL)
class UpdateAclRequestHeader(Header):
    """Change rights; the body holds them."""

    subject: str | None = None


@header(RequestCode.AUTH_DELETE_ACL)
class DeleteAclRequestHeader(Header):
    """Take rights away."""

    subject: str | None = None
    policy_type: str | None = None
    resource: str | None = None


@header(RequestCode.AUTH_GET_ACL)
class GetAclRequestHeader(Header):
    """Ask for a subject's rights."""

    subject: str | None = None


@header(RequestCode.AUTH_LIST_ACL)
class ListAclsRequestHeader(Header):
    """Ask for rights by subject and resource."""

    subject_filter: str | None = None
    resource_filter: str | None = None


@header()
class GetBrokerConfigResponseHeader(Header):
    """The version of the settings in the body."""

    version: str


@header(RequestCode.VIEW_BROKER_STATS_DATA)
class ViewBrokerStatsDataRequestHeader(Header):
    """Ask for one of a broker's counters."""

    stats_name: str
    stats_key: str


@header(RequestCode.EXPORT_ROCKSDB_CONFIG_TO_JSON)
class ExportRocksDBConfigToJsonRequestHeader(Header):
    """Write settings kept in RocksDB to JSON files."""

    config_type: str


@header(RequestCode.ADD_BROKER)
class AddBrokerRequestHeader(Header):
    """Start a broker inside a container."""

    config_path: str | None = None


@header(RequestCode.REMOVE_BROKER)
class RemoveBrokerRequestHeader(Header):
    """Stop a broker inside a container."""

    broker_name: str
    broker_cluster_name: str
    broker_id: Long

"""Users of a broker and what they may do."""

from __future__ import annotations

from dataclasses import field

from rocketmq_protocol.bodies._base import ArrayBody, Body, body
from rocketmq_protocol.codes import RequestCode


@body(
    "remoting.protocol.body.UserInfo",
    requests=(RequestCode.AUTH_CREATE_USER, RequestCode.AUTH_UPDATE_USER),
    answers=(RequestCode.AUTH_GET_USER,),
)
class UserInfo(Body):
    """A user."""

    username: str | None = None
    password: str | None = None
    user_type: str | None = None
    user_status: str | None = None


@body(answers=(RequestCode.AUTH_LIST_USER,))
class UserInfoList(ArrayBody):
    """Users."""

    users: list[UserInfo] = field(default_factory=list)


@body("remoting.protocol.body.AclInfo$PolicyEntryInfo")
class PolicyEntryInfo(Body):
    """Who may do what with one resource."""

    resource: str | None = None
    actions: list[str] | None = None
    source_ips: list[str] | None = None
    decision: str | None = None


@body("remoting.protocol.body.AclInfo$PolicyInfo")
class PolicyInfo(Body):
    """The rules of one kind."""

    policy_type: str | None = None
    entries: list[PolicyEntryInfo] | None = None


@body(
    "remoting.protocol.body.AclInfo",
    requests=(RequestCode.AUTH_CREATE_ACL, RequestCode.AUTH_UPDATE_ACL),
    answers=(RequestCode.AUTH_GET_ACL,),
)
class AclInfo(Body):
    """What one subject, such as `User:name`, may do."""

    subject: str | None = None
    policies: list[PolicyInfo] | None = None


@body(answers=(RequestCode.AUTH_LIST_ACL,))
class AclInfoList(ArrayBody):
    """What several subjects may do."""

    acls: list[AclInfo] = field(default_factory=list)

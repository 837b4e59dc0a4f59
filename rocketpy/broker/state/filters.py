"""What a subscription lets through, judged by tag hash."""

from __future__ import annotations

from collections.abc import Callable

from rocketmq_protocol.bodies import SubscriptionData
from rocketmq_protocol.hashing import tag_hash

SUB_ALL = "*"


def parse_tags(topic: str, expression: str | None) -> SubscriptionData:
    """`TagA || TagB` as a subscription (FilterAPI.buildSubscriptionData)."""
    if not expression or expression == SUB_ALL:
        return SubscriptionData(topic=topic, sub_string=SUB_ALL)
    tags = [tag.strip() for tag in expression.split("||") if tag.strip()]
    if not tags:
        raise ValueError(f"subString split error: {expression!r}")
    return SubscriptionData(
        topic=topic,
        sub_string=expression,
        tags_set=frozenset(tags),
        code_set=frozenset(tag_hash(tag) for tag in tags),
    )


def tag_filter(subscription: SubscriptionData) -> Callable[[int], bool] | None:
    """A test for tag hashes; None where everything is wanted (ExpressionMessageFilter)."""
    if subscription.sub_string == SUB_ALL or subscription.class_filter_mode or not subscription.code_set:
        return None
    return frozenset(subscription.code_set).__contains__

"""The broker's settings through the admin requests."""

from __future__ import annotations

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import DataVersion
from rocketpy.broker.config import parse_properties
from tests.broker.admin_broker import AdminBroker
from tests.vectors import golden_frames


def settings(broker: AdminBroker) -> tuple[dict[str, str], DataVersion]:
    answer = broker.ask(RequestCode.GET_BROKER_CONFIG)
    assert answer.ext_fields is not None
    return parse_properties(answer.body.decode()), DataVersion.decode(answer.ext_fields["version"].encode())


def update(broker: AdminBroker, text: str) -> tuple[int, str | None]:
    answer = broker.ask(RequestCode.UPDATE_BROKER_CONFIG, body=text.encode())
    return answer.code, answer.remark


def test_settings_are_shown_sorted() -> None:
    text = AdminBroker().ask(RequestCode.GET_BROKER_CONFIG).body.decode()
    assert text.splitlines() == sorted(text.splitlines(), key=lambda line: line.partition("=")[0])
    assert "brokerName=small\n" in text


def test_the_same_settings_are_shown_as_by_java() -> None:
    recorded = next(
        RemotingCommand.decode(row.frame)
        for row in golden_frames()
        if row.kind == "response"
        and row.request_code == RequestCode.GET_BROKER_CONFIG
        and row.peer == "broker-5.5.0"
    )
    java = parse_properties(recorded.body.decode())
    ours, _ = settings(AdminBroker({"namesrvAddr": "127.0.0.1:9876", "storePathRootDir": "store"}))
    assert ours.keys() - java.keys() == set()
    # Set where the recording was made, or by the authentication that was on there.
    assert java.keys() - ours.keys() <= {
        *("rocketmqHome", "brokerIP2", "storePathCommitLog"),
        *("authConfigPath", "authenticationMetadataProvider", "authorizationMetadataProvider"),
    }


def test_a_setting_changes_and_the_version_with_it() -> None:
    broker = AdminBroker()
    _, version = settings(broker)
    assert update(broker, "autoCreateTopicEnable=false\n") == (ResponseCode.SUCCESS, None)
    shown, newer = settings(broker)
    assert shown["autoCreateTopicEnable"] == "false"
    assert newer.counter == version.counter + 1
    assert broker.config_updates == [{"autoCreateTopicEnable": "false"}]


def test_settings_on_the_black_list_stay() -> None:
    broker = AdminBroker({"configBlackList": "brokerName;regionId"})
    for name in ("brokerConfigPath", "rocketmqHome", "configBlackList", "brokerName", "regionId"):
        assert update(broker, f"traceOn=false\n{name}=x\n") == (
            ResponseCode.NO_PERMISSION,
            "Can not update config in black list.",
        )
    assert settings(broker)[0]["traceOn"] == "true"


def test_unknown_names_and_bad_values_are_passed_over() -> None:
    broker = AdminBroker()
    before, _ = settings(broker)
    assert update(broker, "noSuchKey=1\nlistenPort=soon\n") == (ResponseCode.SUCCESS, None)
    assert settings(broker)[0] == before
    assert broker.config_updates == [{}]

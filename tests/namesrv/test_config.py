"""The name server's settings and keys, and their files."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.remoting.properties import parse_properties
from rocketpy.remoting.settings import ConfigError
from tests.namesrv.server import Server


def update(server: Server, text: str) -> RemotingCommand:
    return server.ask(RemotingCommand.request(RequestCode.UPDATE_NAMESRV_CONFIG, body=text.encode()))


def told(server: Server) -> dict[str, str]:
    return parse_properties(server.get(RequestCode.GET_NAMESRV_CONFIG).body.decode())


def test_settings_are_those_of_apache() -> None:
    config = NamesrvConfig()
    assert config.number("listenPort") == 9876
    assert config.number("scanNotActiveBrokerInterval") == 5000
    assert config.flag("enableTopicList")
    assert config.text("kvConfigPath") == str(Path.home() / "namesrv" / "kvConfig.json")
    assert len(config.shown()) == 58


def test_a_file_is_read_and_saved_to_again(tmp_path: Path) -> None:
    path = tmp_path / "namesrv.conf"
    path.write_text("listenPort = 19876\nrocketmqHome=/opt/mq\n# comment\nkvConfigPath=/tmp/kv.json\n")
    config = NamesrvConfig.from_file(path, {"bindAddress": "127.0.0.1"})
    assert (config.number("listenPort"), config.text("bindAddress")) == (19876, "127.0.0.1")
    config.update({"orderMessageEnable": "true"})
    saved = parse_properties(path.read_text())
    assert saved["orderMessageEnable"] == "true"
    assert saved["listenPort"] == "19876"
    assert "listenPort = 19876" in (tmp_path / "namesrv.conf.bak").read_text()


def test_an_unknown_setting_is_a_warning_that_names_the_nearest(caplog: pytest.LogCaptureFixture) -> None:
    config = NamesrvConfig({"listenPrt": "1", "zzz": "2"})
    assert "unknown setting listenPrt = 1; did you mean listenPort?" in caplog.text
    assert "unknown setting zzz = 2\n" in caplog.text
    assert "zzz=2\n" in config.described()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("listenPort", "http", "a whole number"),
        ("listenPort", "99999999999", "a whole number"),
        ("scanNotActiveBrokerInterval", "5s", "a whole number"),
        ("clusterTest", "yes", "true or false"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_it(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} = '{value}': {expected} was expected"):
        NamesrvConfig({name: value})


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        NamesrvConfig.from_file(tmp_path / "none")
    broken = tmp_path / "broken.conf"
    broken.write_text("a=\\u00x\n")
    with pytest.raises(ConfigError, match="Malformed"):
        NamesrvConfig.from_file(broken)
    old = tmp_path / "latin.conf"
    old.write_bytes(b"productEnvName=caf\xe9\n")
    assert NamesrvConfig.from_file(old).text("productEnvName") == "café"


def test_settings_change_at_run_time() -> None:
    server = Server()
    assert update(server, "enableTopicList=FALSE\nwaitSecondsForService=7\n").code == ResponseCode.SUCCESS
    assert (told(server)["enableTopicList"], told(server)["waitSecondsForService"]) == ("false", "7")
    answer = server.ask(RemotingCommand.request(RequestCode.GET_UNIT_TOPIC_LIST))
    assert answer.remark == "disable"


def test_values_and_names_that_cannot_be_change_nothing(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(fromFile="1")
    before = told(server)
    sent = "waitSecondsForService=soon\nnoSuchSetting=1\nclientWorkerThreads=9\nno equals"
    with caplog.at_level(logging.WARNING):
        assert update(server, sent).code == ResponseCode.SUCCESS
    assert told(server) == before
    update(server, "fromFile=2")
    assert told(server) == before | {"fromFile": "2"}


@pytest.mark.parametrize(
    "name", ["kvConfigPath", "configStorePath", "rocketmqHome", "configBlackList", "secret"]
)
def test_some_settings_may_not_be_changed(name: str) -> None:
    server = Server(configBlackList="configBlackList;secret")
    answer = update(server, f"{name}=x\nlistenPort=1\n")
    assert (answer.code, answer.remark) == (
        ResponseCode.NO_PERMISSION,
        "Can not update config in black list.",
    )
    assert told(server)["listenPort"] == "9876"


def test_text_that_is_no_properties_is_refused() -> None:
    answer = update(Server(), "a=\\u12")
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "string2Properties error")


def test_keys_are_kept_in_javas_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "kvConfig.json"
    server = Server(kvConfigPath=str(path))
    for key, value in (("k", "v"), ("ключ", "значение")):
        server.get(RequestCode.PUT_KV_CONFIG, namespace="NS", key=key, value=value)
    server.get(RequestCode.PUT_KV_CONFIG, namespace="Other", key="x", value="y")
    server.get(RequestCode.DELETE_KV_CONFIG, namespace="Other", key="x")
    assert path.read_text(encoding="utf-8") == '{"configTable":{"NS":{"ключ":"значение","k":"v"},"Other":{}}}'
    again = Server(kvConfigPath=str(path))
    assert (again.get(RequestCode.GET_KV_CONFIG, namespace="NS", key="ключ").ext_fields) == {
        "value": "значение"
    }
    assert again.get(RequestCode.GET_KVLIST_BY_NAMESPACE, namespace="Other").body == b'{"table":{}}'


def test_a_key_put_without_a_value_is_not_found() -> None:
    server = Server()
    server.get(RequestCode.PUT_KV_CONFIG, namespace="NS", key="k", value="v")
    server.get(RequestCode.PUT_KV_CONFIG, namespace="NS", key="k")
    answer = server.ask(
        RemotingCommand.request(RequestCode.GET_KV_CONFIG, ext_fields={"namespace": "NS", "key": "k"})
    )
    assert (answer.code, answer.remark) == (
        ResponseCode.QUERY_NOT_FOUND,
        "No config item, Namespace: NS Key: k",
    )


def test_a_broken_file_of_keys_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "kvConfig.json"
    path.write_text('{"configTable":')
    server = Server(kvConfigPath=str(path))
    assert "not loaded" in caplog.text
    assert server.kv_config.table("NS") is None


def test_a_disk_that_refuses_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    server = Server(kvConfigPath=str(tmp_path / "file" / "kvConfig.json"))
    server.get(RequestCode.PUT_KV_CONFIG, namespace="NS", key="k", value="v")
    assert "not saved" in caplog.text
    assert server.kv_config.get("NS", "k") == "v"

"""Which addresses phones are told: they come from the interfaces, with a router or without."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.archive.data_folder import Listening, last_address, save_address
from firmware_host.commands import common
from firmware_host.commands.common import Addresses, addresses_for_phones
from firmware_host.link.serving import lan_address

LOOP = ("lo", "127.0.0.1")
HOME = [LOOP, ("docker0", "172.17.0.1"), ("wlan0", "192.168.178.20"), ("eth0", "81.2.69.160")]
TWO = [LOOP, ("wlan0", "10.3.141.1"), ("eth0", "192.168.178.20")]


@pytest.mark.parametrize(
    ("found", "way_out", "told"),
    [
        ([LOOP], None, []),
        ([LOOP, ("wlan0", "10.3.141.1")], None, ["10.3.141.1"]),
        ([LOOP, ("eth0", "169.254.7.7"), ("wlan0", "192.168.4.1")], None, ["192.168.4.1", "169.254.7.7"]),
        ([LOOP, ("eth0", "169.254.7.7")], None, ["169.254.7.7"]),
        (HOME, "81.2.69.160", ["192.168.178.20", "81.2.69.160", "172.17.0.1"]),
        (HOME, None, ["192.168.178.20", "81.2.69.160", "172.17.0.1"]),
        (TWO, "192.168.178.20", ["192.168.178.20", "10.3.141.1"]),
        (TWO, None, ["10.3.141.1", "192.168.178.20"]),
        ([("wg0", "10.8.0.2"), ("wlan0", "192.168.178.20")], "10.8.0.2", ["192.168.178.20", "10.8.0.2"]),
    ],
)
def test_the_likeliest_address_is_the_first(found: list[tuple[str, str]], way_out: str | None, told: list[str]) -> None:
    assert addresses_for_phones(found, way_out) == told


def test_without_a_router_phones_are_not_sent_to_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """An access point of one's own: no route leads out."""
    monkeypatch.setattr(common, "way_out", lambda: None)
    monkeypatch.setattr(common, "interfaces", lambda: [LOOP, ("wlan0", "192.168.4.1")])
    assert Addresses("0.0.0.0", 8000)[0] == "http://192.168.4.1:8000"
    assert lan_address() == "192.168.4.1"


def test_without_any_network_it_is_this_machine_only() -> None:
    assert Addresses("0.0.0.0", 8000, look=list)[0] == "http://127.0.0.1:8000"


def test_an_address_that_was_chosen_is_told_as_it_is() -> None:
    assert list(Addresses("10.42.0.1", 80)) == ["http://10.42.0.1:80"]


def test_names_lead_here_too() -> None:
    assert list(Addresses("10.42.0.1", 80, ["games.example"])) == ["http://10.42.0.1:80", "http://games.example:80"]


def test_they_follow_the_interfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    now, found = [100.0], ["192.168.1.5"]
    monkeypatch.setattr(common.time, "monotonic", lambda: now[0])
    told = Addresses("0.0.0.0", 80, look=lambda: list(found))
    assert told[0] == "http://192.168.1.5:80"
    found[0] = "10.0.0.9"
    now[0] += common.FOLLOWED_S + 1
    assert told[0] == "http://10.0.0.9:80"


def test_this_machine_is_listed() -> None:
    assert ("127.0.0.1") in {address for _, address in common.interfaces()}


def test_links_say_https() -> None:
    assert list(Addresses("10.42.0.1", 443, ["games.example"], scheme="https")) == [
        "https://10.42.0.1:443",
        "https://games.example:443",
    ]


def test_other_commands_find_the_table(tmp_path: Path) -> None:
    for place in (Listening("0.0.0.0", 8000), Listening("10.1.2.3", 8301, "https")):
        save_address(tmp_path, place)
        assert last_address(tmp_path) == place
    assert place.from_here == "https://10.1.2.3:8301"
    (tmp_path / "listens").write_text("0.0.0.0 8000\n")
    found = last_address(tmp_path)
    assert found is not None, "as earlier releases write it, and expect it of an update"
    assert found.from_here == "http://127.0.0.1:8000"

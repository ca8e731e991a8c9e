"""Which address phones are told: the one in the local network, or in the Pi's own hotspot where there is no router."""

from __future__ import annotations

import pytest

from firmware_host.commands import common as listening

NO_WAY = "255.255.255.255"
"""Refused by the system like any address to which no way leads."""


def test_where_no_way_leads_to_a_router_the_hotspots_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        listening, "ELSEWHERE", (NO_WAY, "127.0.0.5")
    )  # The system's own network stands for the hotspot.
    assert listening.lan_address() == "127.0.0.1"


def test_without_any_network_it_is_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "ELSEWHERE", (NO_WAY,))
    assert listening.lan_address() is None
    assert listening.addresses_of("0.0.0.0", 8000)[0] == "http://127.0.0.1:8000"


def test_an_address_that_was_chosen_is_told_as_it_is() -> None:
    assert listening.addresses_of("10.42.0.1", 80) == ["http://10.42.0.1:80"]

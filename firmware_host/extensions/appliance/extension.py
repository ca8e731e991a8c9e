"""What the appliance adds to the program: a machine that is a table, and nothing else, looks after itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from firmware_host.extensions.appliance.backup import remove_left
from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.hotspot import Wifi
from firmware_host.extensions.appliance.network_asks import NetworkAsks
from firmware_host.extensions.appliance.systemd import ServiceManager
from firmware_host.extensions.appliance.update import own_updates
from firmware_host.link.evening_log import EveningLog
from firmware_host.link.tap import with_taps
from firmware_host.plug import Attached, Extension, Parts, Verbs
from firmware_host.text.json_reader import CODE, maybe, record

if TYPE_CHECKING:
    from hw.ports import OpenBoard
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class ApplianceExtension(Extension):
    """Backups, updates, the machine's own Wi-Fi, warnings, restart and shutdown, systemd."""

    name = "appliance"
    scripts = {  # noqa: RUF012 - read only
        "host/host.js": "host_machine.js",
        "tv/tv.js": "wifi_code.js",
        "virtual/virtual.js": "wifi_code.js",
    }
    host_fields = {  # noqa: RUF012
        "wifi": maybe(record(own=maybe(str))),
        "network": maybe(record(code=CODE, name=str, hidden=bool, open=bool)),
    }
    lobby_fields = {"wifi": maybe(str)}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the requests of the host, of guests of the machine's own Wi-Fi, and of Prometheus."""
        from firmware_host.extensions.appliance import metrics, requests  # noqa: PLC0415 - of the panel

        return (requests.routes, metrics.routes)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add the commands, and an option of ``lodestone host``."""
        from firmware_host.extensions.appliance.command import add_care  # noqa: PLC0415 - a panel needs none of it
        from firmware_host.extensions.appliance.log import add_log  # noqa: PLC0415

        add_care(verbs)
        add_log(verbs)

    def wrap_board(self, board: OpenBoard, clock: Callable[[], float]) -> OpenBoard:
        """Have its scans counted."""
        return with_taps(board, clock)

    def attach(self, parts: Parts) -> Attached:
        """Keep the evening, tell systemd of the table once it answers, and let its host look after the machine."""
        remove_left(parts.data)
        parts.runtime.evening = EveningLog(parts.folder)
        manager = ServiceManager(parts.runtime.alive)

        def announce() -> None:
            manager.start()
            parts.stack.callback(manager.close)  # It tells of the end first.

        care = Care(parts.data, parts.version, own_updates(parts.version), Wifi())
        return attach_care(care, announce=announce)


def attach_care(
    care: Care, clock: Callable[[], float] = time.monotonic, announce: Callable[[], None] = lambda: None
) -> Attached:
    """Return what is added to a table for this machine; ``clock`` returns seconds."""
    networks, wifi = NetworkAsks(clock), care.wifi

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.appliance.requests import Machine  # noqa: PLC0415 - of the panel

        return Machine(panel, care, networks)

    def host_state() -> Mapping[str, Any]:
        asked = networks.waiting()
        own = {"own": wifi.own_name()} if wifi is not None and wifi.is_available() else None
        return {"wifi": own, "network": asked and asked.to_dict()}

    def lobby_state() -> Mapping[str, Any]:
        return {"wifi": wifi.own_name() if wifi is not None else None}

    return Attached(context, host_state, lobby_state=lobby_state, announce=announce)


EXTENSION = ApplianceExtension()

"""Restart and shutdown of the machine: only on a Raspberry Pi where systemd runs the program."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from firmware_host.table.errors import TableError
from firmware_host.text.words import say
from hw.pi import model

VERBS: Mapping[str, str] = {"restart": "reboot", "shutdown": "poweroff"}
"""The host's request → the verb of ``systemctl``, which asks polkit."""
WAIT_S = 10


def power_offered(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the host may restart this machine and shut it down."""
    is_service = "INVOCATION_ID" in environment and (root / "run/systemd/system").is_dir()
    return is_service and bool(model(root)) and shutil.which("systemctl", path=environment.get("PATH")) is not None


def switch(what: str, environment: Mapping[str, str] = os.environ) -> None:
    """Restart the machine or shut it down; systemd ends the table first, as at every stop. Raise TableError."""
    if what not in VERBS:
        raise TableError("no_power", say("expected one of {known}, got {what}", known=", ".join(VERBS), what=what[:40]))
    program = shutil.which("systemctl", path=environment.get("PATH")) or "systemctl"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed verb
            [program, "--no-ask-password", VERBS[what]], capture_output=True, text=True, timeout=WAIT_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise TableError("no_power", say("the machine refuses: {reason}", reason=str(error))) from error
    if done.returncode != 0:
        reason = done.stderr.strip() or f"systemctl {done.returncode}"
        raise TableError("no_power", say("the machine refuses: {reason}", reason=reason))

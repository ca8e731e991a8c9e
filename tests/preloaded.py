"""What a fork of the program has imported already: every module of ours, with the libraries that they import."""

from __future__ import annotations

import importlib
import pkgutil

import firmware_host
import hw
import simulator
import web_panel
from firmware_host.games.registry import GAMES

ELSEWHERE = ("__main__", "hw.scanner")
"""What is run, not imported, and what runs in MicroPython."""

for package in (firmware_host, hw, simulator, web_panel):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not any(name in module.name for name in ELSEWHERE):
            importlib.import_module(module.name)
for name in GAMES:
    GAMES[name]

"""Firefox and WebKit, driven by the commands of W3C WebDriver: each phone is a browser of its own.

Firefox takes them itself (Marionette: ``length:[0, number, command, parameters]`` over TCP), WebKit from its driver
(JSON over HTTP). A small client does for both; nothing is downloaded.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.e2e.program import PATIENCE_S, eventually
from tests.ports import free_port

PHONE = (390, 844)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""How the standard names a reference to an element."""
NEEDED = {
    "firefox": ({"firefox-esr": "firefox-esr"},),
    "webkit": ({"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"},),
}
PREFERENCES: dict[str, Any] = {
    "marionette.port": 0,
    "ui.prefersReducedMotion": 1,
    "intl.accept_languages": "en-GB",
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,
}
NARROW = ":root { min-width: 0 !important } #navigator-toolbox { display: none !important }"
"""Firefox's own window is wider than a phone, unless its style says otherwise."""

FIND = """
const found = document.querySelector(arguments[0]);
if (!found) return null;
found.scrollIntoView({ block: "center", behavior: "instant" });
const { x, y, width, height } = found.getBoundingClientRect();
const at = [Math.round(x + width / 2), Math.round(y + height / 2)];
return width && found.contains(document.elementFromPoint(...at)) ? at : null;
"""
"""The middle of an element in the window, null where it is not there or something lies over it."""

Ask = Callable[[str, str, dict[str, Any]], Any]
"""Sends a command: its name in Marionette, its path in HTTP (``{id}`` is the element's), and its parameters."""


class Refused(Exception):
    """The browser has not done what it was asked; the message says why."""


class Phone:
    """A browser of its own, as wide and high as a phone."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        width, height = PHONE
        ask("SetWindowRect", "window/rect", {"width": width, "height": height})

    def goto(self, address: str) -> None:
        self._ask("Navigate", "url", {"url": address})

    def script(self, text: str, *given: Any) -> Any:
        """Return what a script in the page returns."""
        return self._ask("ExecuteScript", "execute/sync", {"script": text, "args": list(given)})

    def until(self, condition: str, *given: Any) -> Any:
        """Wait until an expression of the page is true, and return it."""
        return eventually(lambda: self._now(f"return {condition}", *given), condition)

    def _now(self, text: str, *given: Any) -> Any:
        try:
            return self.script(text, *given)
        except Refused:  # The page is just being replaced by another one.
            return None

    def seen(self, selector: str) -> bool:
        """Tell whether something is on the page and not folded away."""
        return bool(self._now("return document.querySelector(arguments[0])?.checkVisibility()", selector))

    def click(self, selector: str) -> None:
        """Tap the middle of something once it is there and in nobody's shadow."""
        try:
            x, y = eventually(lambda: self._now(FIND, selector), "")
        except AssertionError as error:
            raise AssertionError(f"{selector}: not there, or something lies over it") from error
        deeds = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "mouse"}, "actions": deeds}
        self._ask("PerformActions", "actions", {"actions": [finger]})

    def type(self, selector: str, text: str) -> None:
        self.click(selector)
        self._ask("ElementSendKeys", "element/{id}/value", {"id": self._element(selector), "text": text})

    def _element(self, selector: str) -> str:
        found = self._ask("FindElement", "element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])


def missing(engine: str) -> str:
    """Return what has to be installed for an engine; empty where it is all there."""
    packages = [package for wanted in NEEDED[engine] for name, package in wanted.items() if shutil.which(name) is None]
    return f"sudo apt install {' '.join(packages)}" if packages else ""


@contextmanager
def phones(engine: str, count: int, folder: Path) -> Iterator[list[Phone]]:
    """Open so many phones. Skip the test where the engine is not installed."""
    if lacking := missing(engine):
        pytest.skip(f"{engine} is not installed here: {lacking}")
    with ExitStack() as stack:
        opened = {"firefox": _firefox, "webkit": _webkit}[engine]
        homes = [folder / f"{engine}-{number}" for number in range(count)]
        screen = stack.enter_context(_screen()) if engine == "webkit" else ""
        yield [stack.enter_context(opened(home, screen)) for home in homes]


@contextmanager
def _running(*command: str, home: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    home.mkdir(exist_ok=True)
    more = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), **environment}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env={**os.environ, **more}, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def _screen() -> Iterator[str]:
    """Open a screen that nobody sees; yield its name."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        os.close(write)
        try:
            with open(read, encoding="ascii") as told:
                yield f":{told.readline().strip()}"
        finally:
            process.terminate()


# -- Firefox -----------------------------------------------------------------------------------------------------------


@contextmanager
def _firefox(home: Path, _screen: str) -> Iterator[Phone]:
    (home / "chrome").mkdir(parents=True)
    (home / "chrome" / "userChrome.css").write_text(NARROW)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
    (home / "user.js").write_text("".join(lines))
    port = home / "MarionetteActivePort"
    command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(home)]
    with _running(*command, home=home):
        eventually(lambda: port.exists() and port.read_text().strip(), "Firefox's port")
        address = ("127.0.0.1", int(port.read_text()))
        with socket.create_connection(address, timeout=PATIENCE_S) as wire, wire.makefile("rb") as stream:
            ask = _marionette(wire, stream)
            ask("NewSession", "", {"capabilities": {}})
            yield Phone(ask)


def _marionette(wire: socket.socket, stream: BinaryIO) -> Ask:
    numbers = itertools.count(1)

    def heard() -> Any:
        length = b"".join(iter(lambda: stream.read(1), b":"))
        return json.loads(stream.read(int(length)))

    def ask(name: str, _path: str, fields: dict[str, Any]) -> Any:
        told = json.dumps([0, next(numbers), f"WebDriver:{name}", fields]).encode()
        wire.sendall(b"%d:%s" % (len(told), told))
        _, _, error, result = heard()
        if error is not None:
            raise Refused(f"{error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    heard()  # Who speaks, and which version of the protocol.
    return ask


# -- WebKit ------------------------------------------------------------------------------------------------------------


@contextmanager
def _webkit(home: Path, screen: str) -> Iterator[Phone]:
    port = free_port()
    base = f"http://127.0.0.1:{port}/session"
    more = {
        "DISPLAY": screen,
        "GDK_BACKEND": "x11",
        "NO_AT_BRIDGE": "1",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "LANG": "C.UTF-8",
    }
    with _running("WebKitWebDriver", f"--port={port}", home=home, **more):
        eventually(lambda: _answers(port), "WebKit's driver")
        session = _http("POST", base, {"capabilities": {"alwaysMatch": {}}})["sessionId"]

        def ask(_name: str, path: str, fields: dict[str, Any]) -> Any:
            rest = {name: value for name, value in fields.items() if name != "id"}
            return _http("POST", f"{base}/{session}/{re.sub('{id}', str(fields.get('id')), path)}", rest)

        try:
            yield Phone(ask)
        finally:
            _http("DELETE", f"{base}/{session}", None)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _http(method: str, address: str, fields: dict[str, Any] | None) -> Any:
    data = None if fields is None else json.dumps(fields).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())["value"]
    except urllib.error.HTTPError as error:
        told = json.loads(error.read())["value"]
        raise Refused(f"{told['error']}: {told['message']}") from error

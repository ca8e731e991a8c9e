"""Holds every answer of a panel to its description: status, kind of content, body, headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema_rs
from flask import Flask
from werkzeug.exceptions import HTTPException

from tools.openapi import panel_document as document
from web_panel.guard import SAFE


def template(rule: str) -> str:
    """Return a Flask rule as a path of the description: ``/join/<int:seat>`` → ``/join/{seat}``."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


FRAME = b"\ndata: "


def opened(schema: Any) -> Any:
    """Return a schema whose objects may hold more than is described."""
    if isinstance(schema, list):
        return [opened(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: opened(item) for name, item in schema.items() if (name, item) != ("additionalProperties", False)}


class Description:
    """The description, ready to judge. Unless it is strict, a field too many passes: one test is strict, not all."""

    def __init__(self, *, strict: bool = False) -> None:
        self.document = document() if strict else opened(document())
        self._judges: dict[str, Any] = {}

    def operation(self, path: str, method: str) -> Any:
        item = self.document["paths"].get(path, {})
        return item.get("get" if method == "HEAD" else method.lower())

    def response(self, operation: Any, status: int) -> Any:
        found = operation["responses"].get(str(status))
        assert found is not None, f"status {status} is not described"
        name = found.get("$ref", "").rpartition("/")[2]
        return self.document["components"]["responses"][name] if name else found

    def judge(self, schema: Any, value: Any) -> None:
        key = json.dumps(schema)
        if key not in self._judges:
            whole = {**schema, "components": {"schemas": self.document["components"]["schemas"]}}
            self._judges[key] = jsonschema_rs.validator_for(whole)
        for error in self._judges[key].iter_errors(value):
            raise AssertionError(f"{list(error.instance_path)}: {error.message[:300]}")

    def check(self, path: str, method: str, status: int, headers: dict[str, str], body: bytes) -> None:
        """Raise AssertionError unless this answer is as described."""
        operation = self.operation(path, method)
        if operation is None:
            assert status in {405, 404, 400, 200 if method == "OPTIONS" else 405}, f"{method} {path}: {status}"
            return
        response = self.response(operation, status)
        for name in response.get("headers", {}):
            assert name in headers
        content = response.get("content")
        if content is None or method == "HEAD":
            return
        kind = headers.get("Content-Type", "").partition(";")[0]
        assert kind in content or "*/*" in content, f"{kind} is not described for {status}"
        if kind == "application/json" and kind in content:
            self.judge(content[kind]["schema"], json.loads(body))

    def check_event(self, frame: bytes) -> None:
        """Judge a piece of a stream: each event with an id carries a whole view."""
        if frame.startswith(b"id: "):
            self.judge({"$ref": "#/components/schemas/View"}, json.loads(frame.partition(FRAME)[2]))


DESCRIPTION = Description()


class Described:
    """A WSGI application whose every answer is held to the description."""

    def __init__(self, app: Flask, description: Description = DESCRIPTION) -> None:
        self.app = app
        self.description = description
        self.inner = app.wsgi_app
        self.seen: set[tuple[str, str, int]] = set()
        """Every (method, path, status) that was met."""

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        said: list[Any] = []

        def start(status: str, headers: Any, exc_info: Any = None) -> Any:
            said[:] = [int(status[:3]), dict(headers)]
            return start_response(status, headers, exc_info) if exc_info else start_response(status, headers)

        answer = self.inner(environ, start)
        status, headers = said
        for name, value in SAFE.items():
            assert headers.get(name) == value, f"{environ['PATH_INFO']}: {name} is missing"
        assert "Access-Control-Allow-Origin" not in headers
        path, method = self._path(environ), environ["REQUEST_METHOD"]
        self.seen.add((method, path or "", status))
        if path is None:
            assert status in {308, 400, 404, 405, 414, 429}, f"{environ['PATH_INFO']}: {status}"
            return answer
        if headers.get("Content-Type", "").startswith("text/event-stream"):
            return Stream(answer, self.description) if path.startswith("/api/") else answer
        if environ.get("wsgi.file_wrapper") and isinstance(answer, environ["wsgi.file_wrapper"]):
            self.description.check(path, method, status, headers, b"")
            return answer
        try:
            body = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
        self.description.check(path, method, status, headers, body)
        return [body]

    def _path(self, environ: Any) -> str | None:
        """Return the described path of a request, None where there is none."""
        try:
            found = self.app.url_map.bind_to_environ(environ).match(return_rule=True)
        except (HTTPException, ValueError):
            return None
        return template(str(found[0]))


class Stream:
    """A stream, each of its events judged as it passes; closing it closes the one behind it."""

    def __init__(self, inner: Iterable[bytes], description: Description) -> None:
        self._inner = inner
        self._description = description
        self._pieces = iter(inner)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        self._description.check_event(piece)
        return piece

    def close(self) -> None:
        getattr(self._inner, "close", lambda: None)()


def described(app: Flask, description: Description = DESCRIPTION) -> Flask:
    """Return the app with every answer held to the description; the test that asks fails where one is not."""
    app.wsgi_app = Described(app, description)  # type: ignore[method-assign]
    return app

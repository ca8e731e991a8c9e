"""The service worker is where phones know it, and is read anew whenever it has changed."""

from __future__ import annotations

from flask import Flask

from firmware_host.extensions.notices.requests import WORKER

ADDRESS = "/static/shared/notices_worker.js"


def test_the_worker_keeps_its_address(app: Flask) -> None:
    client = app.test_client()
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
    assert answer.data == WORKER.read_bytes()
    assert answer.headers["Cache-Control"] == "no-cache"
    known = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(ADDRESS, headers=known).status_code == 304

"""Refusals of the panel itself (the table's are TableErrors), and their answers."""

from __future__ import annotations

import math

from flask import Response, jsonify

from firmware_host.text.words import say
from web_panel.text.refusals import refusal
from web_panel.text.wording import in_words


class Denied(Exception):
    """A request is refused; nothing has changed. The message is meant for the requesting person."""

    def __init__(self, status: int, code: str, message: str, wait: int | None = None) -> None:
        """``status`` is the HTTP status; ``wait`` the seconds before the next attempt."""
        super().__init__(message)
        self.status, self.code, self.message, self.wait = status, code, message, wait


def too_many(waits: float) -> Denied:
    """Return the refusal of a request over the rate; ``waits`` in seconds."""
    seconds = max(1, math.ceil(waits))
    return Denied(429, "too_many", say("too many requests; try again in {seconds} s", seconds=seconds), seconds)


def not_host() -> Denied:
    """Return the refusal of a request that only the host may send."""
    return Denied(403, "not_host", say("only the host can do this"))


def not_seated() -> Denied:
    """Return the refusal of a phone without a seat."""
    return Denied(403, "not_seated", say("this phone has no seat; join first"))


def answered(denied: Denied) -> Response:
    """Return the response, in the reader's language."""
    answer = jsonify(refusal(denied.code, in_words(denied.message)))
    answer.status_code = denied.status
    if denied.wait is not None:
        answer.headers["Retry-After"] = str(denied.wait)
    return answer

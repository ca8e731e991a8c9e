"""Refusals of the panel itself (the table's are TableErrors): their form, and the checks of host name and origin."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from flask import Response, jsonify, request

from firmware_host.text.words import say
from web_panel.languages import in_words

SCHEMES = ("http", "https")
"""A page over HTTP may be one over HTTPS for the phone: of a proxy."""


def refusal(code: str, message: str) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"ok": False, "error": {"code": code, "message": message}}


def host_name(place: str) -> str:
    """Return the host of ``host:port`` in small letters; an empty string for anything else."""
    try:
        return (urlsplit(f"//{place}").hostname or "").casefold()
    except ValueError:
        return ""


HOME_DOMAINS = frozenset(
    {"local", "lan", "home", "home.arpa", "internal", "intranet", "localdomain", "fritz.box", "speedport.ip"}
)
"""What routers put behind the names of machines. In none of them strangers have names of their own."""


def leads_here(name: str, own: Collection[str]) -> bool:
    """Return whether a host is one of our own names, such a name in a home's domain, or an IP address."""
    name = name.removesuffix(".")
    machine, _, domain = name.partition(".")
    return name in own or (domain in HOME_DOMAINS and machine in own) or is_address(name)


def is_address(name: str) -> bool:
    """Tell whether a host is an IP address, which DNS rebinding can't forge."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def own_page() -> bool:
    """Tell whether a request is the panel's own: its Origin is this host or, without an Origin, X-Lodestone is set.

    ``Sec-Fetch-Site`` does not help: browsers do not send it to plain-HTTP addresses. Where the table itself speaks
    HTTPS, anybody in the network could forge a page of its HTTP address.
    """
    return is_own(request.headers.get, [request.host], ["https"] if request.is_secure else SCHEMES)


def is_own(header: Callable[[str], str | None], places: Iterable[str], schemes: Sequence[str] = SCHEMES) -> bool:
    """Tell the same by a request's headers; ``places``: the ``host:port`` under which the pages are."""
    origin = header("Origin")
    if origin is None:
        return header("X-Lodestone") == "1"
    return origin.casefold() in {f"{scheme}://{one}".casefold() for one in places for scheme in schemes}


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


def refusal_response(denied: Denied) -> Response:
    """Return the response, in the reader's language."""
    answer = jsonify(refusal(denied.code, in_words(denied.message)))
    answer.status_code = denied.status
    if denied.wait is not None:
        answer.headers["Retry-After"] = str(denied.wait)
    return answer

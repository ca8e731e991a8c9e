"""The form of every refusal, and the checks of host name and origin."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from flask import request


def refusal(code: str, message: str) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"ok": False, "error": {"code": code, "message": message}}


def host_name(place: str) -> str:
    """Return the host of ``host:port`` in small letters; an empty string for anything else."""
    try:
        return (urlsplit(f"//{place}").hostname or "").casefold()
    except ValueError:
        return ""


def is_address(name: str) -> bool:
    """Tell whether a host is an IP address, which DNS rebinding can't forge."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def own_page() -> bool:
    """Tell whether a request is the panel's own: its Origin is this host or, without an Origin, X-Lodestone is set.

    ``Sec-Fetch-Site`` does not help: browsers do not send it to plain-HTTP addresses.
    """
    origin = request.headers.get("Origin")
    if origin is None:
        return request.headers.get("X-Lodestone") == "1"
    return origin.casefold() in {f"{scheme}://{request.host}".casefold() for scheme in ("http", "https")}

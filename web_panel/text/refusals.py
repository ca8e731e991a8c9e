"""How the panel says no: one form of body for every refusal, and who may ask at all."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from flask import request


def refusal(code: str, message: str) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"ok": False, "error": {"code": code, "message": message}}


def host_name(place: str) -> str:
    """Return the host of ``host:port`` in small letters; an empty text for anything else."""
    try:
        return (urlsplit(f"//{place}").hostname or "").casefold()
    except ValueError:
        return ""


def is_address(name: str) -> bool:
    """Tell whether a host is a plain IP address: no foreign page can make a browser call us by a name of its own."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def own_page() -> bool:
    """Tell whether the request comes from our page: its Origin is our host, or (none sent) our own header is there.

    Browsers tell no ``Sec-Fetch-Site`` to plain-HTTP addresses, so that can't be asked.
    """
    origin = request.headers.get("Origin")
    if origin is None:
        return request.headers.get("X-Lodestone") == "1"
    return origin.casefold() in {f"{scheme}://{request.host}".casefold() for scheme in ("http", "https")}

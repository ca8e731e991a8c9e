"""What a phone's warning means, and what plain HTTP gets where pages are spoken over HTTPS: the way there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, abort, render_template, request

from firmware_host.link.https import OPEN, TEMPLATES, Https
from firmware_host.text.words import say
from web_panel.limits import changes
from web_panel.refusals import Denied, refusal_response
from web_panel.routes import ForEverybody, Routes

routes = Routes("https")


@dataclass(frozen=True)
class Certificate(ForEverybody):
    """What the page is given (:class:`web_panel.routes.Context`)."""

    fingerprint: str


@routes.get("/certificate", _404="Missing")
def certificate(shown: Certificate) -> str:
    """What a phone's warning of the table's own certificate means."""
    if not shown.fingerprint:
        abort(404)
    return render_template("certificate.html", there="/", fingerprint=shown.fingerprint)


def pages_of(https: Https, addresses: Sequence[str]) -> Blueprint:
    """Return what is added to the pages that a certificate is for; ``addresses`` are their base URLs.

    Plain HTTP to the same port gets nothing of the table: a page that explains the warning of its own certificate, or
    the way to HTTPS.
    """
    pages = routes.blueprint(Certificate(https.fingerprint), template_folder=str(TEMPLATES))

    @pages.before_app_request
    def lead_to_https() -> Response | None:
        if request.is_secure or request.path.startswith(OPEN):
            return None
        if request.path.startswith(("/api/", "/sim/", "/qr/")) or changes(request.method):
            plain = say("this table answers over HTTPS only: {address}", address=addresses[0])
            return refusal_response(Denied(421, "plain_http", plain))
        there = f"https://{request.host}{request.full_path.removesuffix('?')}"
        return Response(render_template("certificate.html" if https.fingerprint else "to_https.html", there=there))

    del lead_to_https
    return pages

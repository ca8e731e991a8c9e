"""The proof that nobody knew or changed a placement: a page for players, and the data from which phones verify it."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template

from firmware_host.table.service import ProofService
from web_panel.text.wording import in_words


def blueprint(door: ProofService) -> Blueprint:
    """Return ``/proof`` and ``/api/proof``, the same for everybody."""
    pages = Blueprint("proof", __name__)

    @pages.get("/proof")
    def page() -> str:
        return render_template("proof.html")

    @pages.get("/api/proof")
    def proof() -> Response:
        shown = door.proof()
        _, view = door.view(None)
        seats = [{name: seat[name] for name in ("seat", "name", "computer")} for seat in view["seats"]]
        return jsonify({**shown, "title": in_words(view["game"]["title"]), "seats": seats})

    del page, proof
    return pages

"""What HTTPS adds to the program: how pages of tables and replays reach phones, and a page on what these warn of."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.link import SCRIPTS
from firmware_host.link.https import Https, add_https, fingerprint_words, https_options, open_https
from firmware_host.plug import Attached, Extension, Parts, Transport
from firmware_host.text.json_reader import maybe
from firmware_host.text.words import Refused, Text, say

if TYPE_CHECKING:
    from web_panel.routes import Routes


class HttpsExtension(Extension):
    """Pages are spoken over TLS, by a certificate that is given or that the table has made itself."""

    name = "https"
    shared_scripts = SCRIPTS
    scripts = {"tv/tv.js": "warning.js", "virtual/virtual.js": "warning.js"}  # noqa: RUF012 - read only
    lobby_fields = {"warns": maybe(bool)}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the page on what phones warn of."""
        from firmware_host.extensions.https.pages import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def add_transport(self, verb: argparse.ArgumentParser) -> None:
        """Add ``--https``, ``--cert`` and ``--key``."""
        add_https(verb)

    def check(self, options: argparse.Namespace) -> None:
        """Refuse options that do not go together."""
        https_options(options)

    def transport(self, options: argparse.Namespace, data: Path, tell: Callable[[Text], None]) -> Transport | None:
        """Open the certificate that the options want. Raise Refused."""
        https = open_https(https_options(options), data, tell, options.name)
        return None if https is None else transport_by(https)

    def attach(self, parts: Parts) -> Attached:
        """Open the certificate; where nobody is at the terminal, phones are told what is wrong with it.

        Raise Refused at a terminal. Under the service the table then speaks HTTP, and says so: a board that nobody can
        play at helps nobody.
        """

        def tell(text: Text) -> None:
            print(text, flush=True)
            parts.runtime.remark("https", text)

        wanted = https_options(parts.options)
        try:
            return attach_https(open_https(wanted, parts.data, tell, parts.options.name))
        except Refused as refused:
            if not parts.unattended:
                raise
            tell(say("The table speaks HTTP, not HTTPS: {reason}", reason=refused.args[0]))
            return attach_https(None)


def attach_https(https: Https | None) -> Attached:
    """Return what is added to a table for its certificate, or for none."""
    own = https is not None and bool(https.fingerprint)
    return Attached(lobby_state=lambda: {"warns": own}, transport=None if https is None else transport_by(https))


def transport_by(https: Https) -> Transport:
    """Return how pages are spoken by a certificate."""
    from firmware_host.extensions.https.pages import pages_of  # noqa: PLC0415 - of the panel
    from firmware_host.extensions.https.tls import Door  # noqa: PLC0415 - few tables speak HTTPS

    return Transport(
        "https",
        Door(https.context),
        lambda addresses: [pages_of(https, addresses)],
        {say("What the warning means"): "/certificate"} if https.fingerprint else {},
        fingerprint_words(https),
    )


EXTENSION = HttpsExtension()

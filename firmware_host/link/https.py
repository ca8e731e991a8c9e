"""HTTPS: by a certificate that is given (``--cert``), or by one that this machine has made itself (``--https``).

Browsers allow a screen that stays on, and notifications, only over HTTPS. The table's own certificate is signed by
nobody whom a phone knows: the phone warns once. So it never changes by itself, and no date in it depends on a clock,
which a machine without a network may not have. It stands with its key in one file of the data folder. Tables and clubs
speak it by different servers, to which the rest here is common.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import ipaddress
import logging
import secrets
import socket
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from firmware_host.archive.data_folder import Tell, make_data
from firmware_host.archive.files import content_of, is_there, move_aside, write_whole
from firmware_host.link.libraries import missing
from firmware_host.text.words import Refused, say

if TYPE_CHECKING:
    import ssl  # A table in a browser's tab has none.

TEMPLATES = Path(__file__).parent / "templates"
"""``certificate.html``, on what a phone warns of, and ``to_https.html``, which leads on at once."""
OPEN = ("/static/", "/script/", "/words.js", "/favicon.ico")
"""What plain HTTP gets where pages are spoken over HTTPS: files that are the same everywhere."""
HANDSHAKE = 0x16
"""The first byte of every client that speaks TLS (RFC 8446, 5.1); plain HTTP begins with a letter."""
MAX_RECORD = 16 * 1024
"""Bytes that one record of TLS can hold (RFC 8446, 5.1): read at once, nothing stays inside the library unseen."""
Contexts: TypeAlias = "Callable[[], ssl.SSLContext]"
"""Returns with what the next client is spoken to: a certificate may be renewed while pages are served."""
OWN = "certificate.pem"
"""The file with the table's own certificate and its key."""
BEGINS, ENDS = datetime.datetime(2025, 1, 1), datetime.datetime(2049, 12, 31)
"""When the own certificate is good: whatever date the machine believes in when it makes it."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HttpsOptions:
    """What the command line says of HTTPS."""

    own: bool = False
    cert: Path | None = None
    key: Path | None = None


def add_https(verb: argparse.ArgumentParser) -> None:
    """Add ``--https``, ``--cert`` and ``--key`` to a command that serves pages."""
    verb.add_argument("--https", action="store_true",
                      help="speak HTTPS, by a certificate that the program makes itself: phones warn once")  # fmt: skip
    verb.add_argument("--cert", type=Path, default=None, metavar="FILE",
                      help="speak HTTPS by this certificate and those that it rests on (PEM)")  # fmt: skip
    verb.add_argument("--key", type=Path, default=None, metavar="FILE", help="its key, if it is not in the same file")


def https_options(arguments: argparse.Namespace) -> HttpsOptions:
    """Return what the command line says of HTTPS. Raise Refused for what does not go together."""
    if arguments.key is not None and arguments.cert is None:
        raise Refused("--key: expected --cert FILE, too: the certificate of this key")
    if arguments.https and arguments.cert is not None:
        raise Refused("--https makes a certificate, --cert gives one: expected one of them")
    return HttpsOptions(arguments.https, arguments.cert, arguments.key)


class Https:
    """A certificate in use. It is read again when its files have changed, so that it may be renewed meanwhile."""

    def __init__(self, cert: Path, key: Path | None = None, *, own: bool = False) -> None:
        """Read the files. Raise OSError or ValueError (ssl.SSLError is both)."""
        self._files = [cert] if key is None else [cert, key]
        self._state = self._look()
        self._context = _context(self._files)
        self.fingerprint = _fingerprint(cert) if own else ""
        """SHA-256 of the table's own certificate, as browsers show it; empty for one that was given."""

    def _look(self) -> Sequence[tuple[int, int]]:
        return [(found.st_mtime_ns, found.st_ino) for found in (path.stat() for path in self._files)]

    def context(self) -> ssl.SSLContext:
        """Return with what the next phone is spoken to; what can't be read leaves the one before."""
        with suppress(OSError):
            state = self._look()
            if state != self._state:
                self._state = state
                try:
                    self._context = _context(self._files)
                except (OSError, ValueError) as error:
                    _log.warning("%s: can't be used, the one before stays: %s", self._files[0], error)
        return self._context


def open_https(options: HttpsOptions, data: Path, tell: Tell, names: Iterable[str] = ()) -> Https | None:
    """Return the certificate in use, None without HTTPS. ``names``: further ones that lead here. Raise Refused."""
    if options.cert is not None:
        try:
            return Https(options.cert, options.key)
        except (OSError, ValueError) as error:
            raise Refused(
                say("--cert: {file} can't be used: {reason}", file=str(options.cert), reason=_why(error))
            ) from error
    if not options.own:
        return None
    path = data / OWN
    try:
        if content_of(path) is not None and (kept := _own(path)) is not None:
            return kept
        is_damaged = is_there(path)
    except OSError as error:
        raise Refused(say("{file}: can't be used: {reason}", file=str(path), reason=_why(error))) from error
    if is_damaged:
        tell(say("{file} was damaged and is made anew: phones warn once more.", file=str(path)))
    if (lacks := missing("link", ["cryptography"], say("HTTPS by a certificate of its own"))) is not None:
        raise Refused(lacks)
    make_data(data)
    try:
        if is_damaged:
            move_aside(path)
        write_whole(path, make_certificate(names), mode=0o600)
        return Https(path, own=True)
    except (OSError, ValueError) as error:
        raise Refused(say("{file}: can't be used: {reason}", file=str(path), reason=_why(error))) from error


def _own(path: Path) -> Https | None:
    """Return the own certificate, None if the file holds none. Raise OSError."""
    import ssl  # noqa: PLC0415 - a table in a browser's tab has none

    try:
        return Https(path, own=True)
    except (ssl.SSLError, ValueError):
        return None


def fingerprint_words(https: Https | None) -> str:
    """Return by what an own certificate is known, for people who compare it with what their browser shows, or nothing.

    It is printed when pages are open.
    """
    if https is None or not https.fingerprint:
        return ""
    return f"Phones warn once of the certificate, which this machine has made itself. SHA-256: {https.fingerprint}"


def make_certificate(names: Iterable[str] = ()) -> bytes:
    """Return a key and a certificate that it has signed itself, PEM. ``names``: further ones, or IPv4 addresses."""
    from cryptography import x509  # noqa: PLC0415 - of the extra [link]
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    host = socket.gethostname().casefold()
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Lodestone, {host}"[:64])])
    known: list[x509.GeneralName] = []
    for name in dict.fromkeys([host, f"{host}.local", "lodestone.local", "localhost", "127.0.0.1", *names]):
        try:
            known.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            with suppress(ValueError):  # A name that no certificate can hold: the phone warns of it all the same.
                known.append(x509.DNSName(name))
    made = (
        x509.CertificateBuilder(who, who, key.public_key(), 1 + secrets.randbits(120), BEGINS, ENDS)
        .add_extension(x509.SubjectAlternativeName(known), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return secret + made.public_bytes(serialization.Encoding.PEM)


def _context(files: Sequence[Path]) -> ssl.SSLContext:
    import ssl  # noqa: PLC0415

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    # Nobody may be there to type a password: a key that wants one is refused.
    context.load_cert_chain(files[0], files[-1], password=lambda: b"")
    return context


def _fingerprint(cert: Path) -> str:
    import ssl  # noqa: PLC0415

    text = cert.read_text(encoding="ascii")
    whole = ssl.PEM_cert_to_DER_cert(text[text.index(ssl.PEM_HEADER) :])
    return hashlib.sha256(whole).digest().hex(":").upper()


def _why(error: Exception) -> str:
    return getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)


def ask_table(request: urllib.request.Request, timeout: float) -> Any:
    """Send a request to a table on this machine; return the answer, to be closed. Raise OSError.

    Its certificate is not checked: it names the addresses by which phones come, and nobody stands between.
    """
    import ssl  # noqa: PLC0415 - a table in a browser's tab has none

    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return urllib.request.urlopen(request, timeout=timeout, context=trusting)  # noqa: S310 - this machine's own

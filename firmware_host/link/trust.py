"""Who may read a room, who may play in it, and what a message proves: the broker between the tables is not trusted.

An *invitation* is the only thing that people hand on, as a link or a QR code. It names the broker and holds the room's
secret, 256 random bits, or for those who only watch the key derived from it that reads.

- Every message is sealed with ChaCha20-Poly1305 (RFC 8439) under a key of its sender, derived (HKDF, RFC 5869) from the
  reading key and the sender's public key. The nonce is the sender's message counter, which the sender keeps on disk
  *ahead* of its use, so that no nonce is used twice, neither after a kill nor where a
  copy of its files is restored. Topic, sender and counter are authenticated
  with it: a message can't be moved to another topic, and an old one is recognised.
- Every message is signed with its table's key (Ed25519, RFC 8032). Whoever only reads the room can't speak for a table.
- A table belongs to the room if its announcement carries a code that only the secret makes (:func:`Keys.ticket`). The
  first table's key is part of the invitation.

What is left for a broker: it can withhold, and it sees who is connected, when, and how long messages are. People who
want to be sure that nobody sits between them compare :func:`spoken`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firmware_host.link.broker import LARGEST
from firmware_host.text.words import Refused, say

SCHEME = "lodestone-room"
KEY_BYTES, SIGNATURE_BYTES, COUNTER_BYTES, ROOM_BYTES = 32, 64, 8, 16
LAST_COUNTER = (1 << 63) - 1
"""The highest number of a message. Larger ones could not be kept on disk, and nobody sends so many messages."""
_VERSION = b"L1"
_HEAD = len(_VERSION) + KEY_BYTES + COUNTER_BYTES
_LINK = "lodestone 1 "


class Forged(ValueError):
    """A message that is damaged, not sealed with the room's key, or not signed by the table it names."""


def _derive_key(secret: bytes, what: str, length: int = KEY_BYTES) -> bytes:
    return HKDF(SHA256(), length, None, (_LINK + what).encode()).derive(secret)


@dataclass(frozen=True)
class Invitation:
    """What somebody needs to take part in a room: ``secret`` is None for those who only watch.

    ``opener`` is the public key of the table that has opened the room, 64 hex digits.
    """

    broker: str
    read_key: bytes
    opener: str
    secret: bytes | None = None
    scheme: str = SCHEME
    """What it invites to: a room, or a club (:mod:`firmware_host.extensions.club.messages`)."""
    served: bool = False
    """Whether the broker is one that serves nobody else (:mod:`firmware_host.link.serving`)."""

    @classmethod
    def new(cls, broker: str, opener: str, scheme: str = SCHEME, *, served: bool = False) -> Invitation:
        """Return the invitation to a new room."""
        secret = secrets.token_bytes(KEY_BYTES)
        return cls(broker, _derive_key(secret, "read"), opener, secret, scheme, served)

    @classmethod
    def parse(cls, text: str, scheme: str = SCHEME) -> Invitation:
        """Return the invitation of a link. Raise Refused with what is wrong with it."""
        text = text.strip(" \t\r\n'\"")  # Quoted as it is copied from a terminal, for a shell.
        if text.partition(":")[0].lower() != scheme:
            raise Refused(say("an invitation begins with {scheme}:, this text does not", scheme=scheme))
        try:
            fields = {name: values[0] for name, values in parse_qs(urlsplit(text).query).items()}
            broker, opener = fields["broker"], bytes.fromhex(fields["opener"])
            secret = _bytes(fields["secret"]) if "secret" in fields else None
            read_key = _bytes(fields["key"]) if secret is None else _derive_key(secret, "read")
            if {len(opener), len(read_key), len(secret or opener)} != {KEY_BYTES}:
                raise ValueError
        except (KeyError, ValueError) as error:
            raise Refused(say("the invitation is not whole: copy all of it, or scan it again")) from error
        return cls(broker, read_key, opener.hex(), secret, scheme, "served" in fields)

    @property
    def link(self) -> str:
        """The invitation as a text: who has it may do what it allows."""
        key = {"key": _text(self.read_key)} if self.secret is None else {"secret": _text(self.secret)}
        served = {"served": "1"} if self.served else {}
        return f"{self.scheme}:?{urlencode({'broker': self.broker, 'opener': self.opener, **served, **key})}"

    @property
    def to_watch(self) -> Invitation:
        """The invitation for those who only watch: it can't be turned into one to play."""
        return replace(self, secret=None)

    def at(self, broker: str, *, served: bool = False) -> Invitation:
        """Return the invitation to the same room, which has moved to another broker."""
        return replace(self, broker=broker, served=served)

    @property
    def login(self) -> tuple[str, str] | None:
        """User and password at a broker that serves this room alone; None at others."""
        return (self.room, _derive_key(self.read_key, "broker").hex()) if self.served else None

    @property
    def room(self) -> str:
        """The room's name in topics, which tells nothing of its keys."""
        return _derive_key(self.read_key, "room", ROOM_BYTES).hex()


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


class Identity:
    """A table's own key pair in a room."""

    def __init__(self, private: bytes | None = None) -> None:
        """``private`` are the 32 bytes kept from before; without them a new pair is drawn."""
        self._key = Ed25519PrivateKey.generate() if private is None else Ed25519PrivateKey.from_private_bytes(private)
        self.public = self._key.public_key().public_bytes_raw().hex()
        """The public key, 64 hex digits: the table's name for other programs."""

    @classmethod
    def parse(cls, private: str) -> Identity:
        """Return the key pair whose private key is kept as 64 hex digits. Raise ValueError."""
        return cls(bytes.fromhex(private))

    def private(self) -> bytes:
        """Return the private key, to be kept."""
        return self._key.private_bytes_raw()

    def sign(self, text: bytes) -> bytes:
        """Return the signature of a text."""
        return self._key.sign(text)


def is_signed(public: str, signature: bytes, text: bytes) -> bool:
    """Return whether a signature is that of the owner of a public key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True


class Keys:
    """What the members of a room can do with its invitation: seal and open messages, know each other."""

    def __init__(self, invitation: Invitation) -> None:
        """Use an invitation."""
        self._invitation = invitation
        self._ciphers: dict[str, ChaCha20Poly1305] = {}

    def seal(self, identity: Identity, topic: str, counter: int, body: bytes) -> bytes:
        """Return a sealed and signed message. ``counter`` has to be another one for each message of a table.

        Raise ValueError for a body that is too long.
        """
        head = _VERSION + bytes.fromhex(identity.public) + counter.to_bytes(COUNTER_BYTES, "big")
        signed = identity.sign(topic.encode() + head + body)
        whole = head + self._cipher(identity.public).encrypt(_nonce(counter), signed + body, topic.encode() + head)
        if len(whole) > LARGEST:
            raise ValueError(f"a message of {len(whole)} bytes; expected at most {LARGEST}")
        return whole

    def open(self, topic: str, message: bytes) -> tuple[str, int, bytes]:
        """Return (the sender's public key, its counter, the body). Raise Forged."""
        head, sealed = message[:_HEAD], message[_HEAD:]
        if len(message) > LARGEST or len(head) < _HEAD or not head.startswith(_VERSION):
            raise Forged
        sender = head[len(_VERSION) :][:KEY_BYTES].hex()
        counter = int.from_bytes(head[-COUNTER_BYTES:], "big")
        if counter > LAST_COUNTER:
            raise Forged
        try:
            plain = self._cipher(sender).decrypt(_nonce(counter), sealed, topic.encode() + head)
        except InvalidTag as error:
            raise Forged from error
        signature, body = plain[:SIGNATURE_BYTES], plain[SIGNATURE_BYTES:]
        if not is_signed(sender, signature, topic.encode() + head + body):
            raise Forged
        return sender, counter, body

    def ticket(self, public: str) -> str:
        """Return the code by which a table shows that it was invited to play; empty for those who only watch."""
        if self._invitation.secret is None:
            return ""
        return hmac.digest(_derive_key(self._invitation.secret, "join"), public.encode(), hashlib.sha256).hex()

    def is_invited(self, public: str, ticket: str) -> bool:
        """Return whether a table may play: those who only watch can't know it, and believe the table that opened."""
        if public == self._invitation.opener or self._invitation.secret is None:
            return True
        return hmac.compare_digest(self.ticket(public).encode(), ticket.encode())

    def _cipher(self, sender: str) -> ChaCha20Poly1305:
        if sender not in self._ciphers:
            if len(self._ciphers) > 256:  # Strangers may name any number of senders.
                self._ciphers.clear()
            self._ciphers[sender] = ChaCha20Poly1305(_derive_key(self._invitation.read_key, f"messages {sender}"))
        return self._ciphers[sender]


def _nonce(counter: int) -> bytes:
    return counter.to_bytes(12, "big")


_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"


def spoken(keys: Iterable[str]) -> str:
    """Return four words for the keys of a room's tables, the same at each: to be read out on the telephone.

    The words are proquints (D. S. Wilkerson, arXiv:0901.4016): 16 bits each, pronounceable in most languages.
    """
    digest = hashlib.sha256("\n".join(sorted(keys)).encode()).digest()
    return " ".join(_proquint(int.from_bytes(digest[at : at + 2], "big")) for at in range(0, 8, 2))


def _proquint(word: int) -> str:
    con, vow = _CONSONANTS, _VOWELS
    return con[word >> 12] + vow[word >> 10 & 3] + con[word >> 6 & 15] + vow[word >> 4 & 3] + con[word & 15]

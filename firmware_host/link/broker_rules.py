"""Whom a table's own broker admits, and which topics pass: plugins of amqtt, in the broker's process (serving.py)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

from amqtt.contexts import Action, BaseContext
from amqtt.plugins.base import BaseAuthPlugin, BaseTopicPlugin
from amqtt.session import Session

from firmware_host.link.serving import MAX_PACKET, MAX_TOPICS


class Members(BaseAuthPlugin):  # type: ignore[misc]  # amqtt tells no types
    """Admits who has the room's user and password, with a will in the room.

    A client for which the broker would keep messages while it is away is refused: nobody would fetch them.
    """

    @dataclass
    class Config:
        """The room's user and password; without a user everybody is admitted."""

        place: str = ""
        user: str = ""
        password: str = ""

    async def authenticate(self, *, session: Session) -> bool | None:
        """Return whether a client is admitted."""
        config: Any = self.config
        known = not config.user or (_same(session.username, config.user) and _same(session.password, config.password))
        will = not session.will_flag or _is_in(session.will_topic, config.place)
        return bool(known and will and session.clean_session and len(session.will_message or b"") <= MAX_PACKET)


class Topics(BaseTopicPlugin):  # type: ignore[misc]
    """Lets the room's topics pass, and no more of them than a room needs."""

    @dataclass
    class Config:
        """The beginning of all topics."""

        place: str = ""

    def __init__(self, context: BaseContext) -> None:
        """Begin without topics."""
        super().__init__(context)
        self._seen: set[str] = set()

    async def topic_filtering(
        self, *, session: Session | None = None, topic: str | None = None, action: Action | None = None
    ) -> bool | None:
        """Return whether a client may publish under a topic, or subscribe to it."""
        del session  # Who is in the room may do the same as all others.
        config: Any = self.config
        if not _is_in(topic, config.place):
            return False
        if action == Action.PUBLISH and topic is not None and topic not in self._seen:
            if len(self._seen) >= MAX_TOPICS:
                return False
            self._seen.add(topic)
        return True


def _is_in(topic: str | None, place: str) -> bool:
    return topic is not None and len(topic) <= 256 and topic.startswith(f"{place}/")


def _same(one: str | None, other: str) -> bool:
    return hmac.compare_digest((one or "").encode(), other.encode())

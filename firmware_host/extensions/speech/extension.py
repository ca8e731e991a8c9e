"""What speech adds to the program: ``lodestone play --speak``."""

from __future__ import annotations

import argparse
from contextlib import closing

from firmware_host.plug import Extension, Parts


class SpeechExtension(Extension):
    """The machine under the table speaks, through ``espeak-ng``."""

    name = "speech"

    def add_options(self, play: argparse.ArgumentParser) -> None:
        """Add the language."""
        play.add_argument(
            "--speak",
            nargs="?",
            const="en",
            default=None,
            metavar="LANGUAGE",
            help="speak through espeak-ng what screen readers are told, in English or in a language such as de",
        )

    def attach(self, parts: Parts) -> None:
        """Let a speaker follow the table. Raise Refused if its language or its program is missing."""
        if parts.options.speak is None:
            return
        from firmware_host.extensions.speech.speaking import Speaker, espeak  # noqa: PLC0415 - few tables speak
        from web_panel.languages import checked_language  # noqa: PLC0415 - the catalogues are the panel's

        words = checked_language(parts.options.speak, "--speak")
        speaker = parts.stack.enter_context(closing(Speaker(espeak(parts.options.speak), words)))
        parts.runtime.follow(speaker.listen)


EXTENSION = SpeechExtension()

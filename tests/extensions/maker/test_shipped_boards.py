"""The shipped board files that follow from others are what their writer writes."""

from __future__ import annotations

from firmware_host.extensions.maker import shipped_boards


def test_the_files_are_what_their_writer_writes() -> None:
    for name, text in shipped_boards.files():
        file = shipped_boards.place_of(name)
        assert file.read_text(encoding="utf-8") == text, f"{name}: run python -m {shipped_boards.__name__}"

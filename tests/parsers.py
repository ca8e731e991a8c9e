"""The whole parser of the command line, walked: every option and argument of every verb."""

from __future__ import annotations

import argparse
from collections.abc import Iterator


def options_of(
    parser: argparse.ArgumentParser, verb: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser, argparse.Action]]:
    """Yield (verb, its parser, an option or argument) of a parser and of all below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options_of(below, (*verb, name))
        else:
            yield verb, parser, action

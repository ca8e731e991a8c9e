"""The unfinished game of the journal: whether to resume it, with a question at the terminal, and how."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.journal_rescue import REPAIR
from firmware_host.archive.summary import GameSummary
from firmware_host.games.game import GameError
from firmware_host.session.game_selection import LaunchRequest, Selection
from firmware_host.session.runtime import Runtime
from firmware_host.table.ledger import LedgerError
from firmware_host.text.refusal import Refused

YES, NO = frozenset({"y", "yes"}), frozenset({"n", "no"})


@dataclass(frozen=True)
class Going:
    """The command line's choice for an unfinished game: resume it, abandon it, or (neither) ask."""

    on: bool = False
    anew: bool = False


def last_of(journal: Journal, going: Going) -> GameSummary | None:
    """Return the unfinished game of a journal. Raise Refused if it can't be read, unless a new one is begun."""
    try:
        return journal.unfinished()
    except JournalError as error:
        if not going.anew:
            raise _not_gone_on_with("the unfinished game", error) from error
        print(f"{error}. It stays as it is, and a new game begins.")
        return None


def to_resume(last: GameSummary | None, choice: Selection, request: LaunchRequest, going: Going) -> GameSummary | None:
    """Return the unfinished game if it is to be resumed, None for a new one.

    Raise Refused if a person ends the question at the terminal.
    """
    if last is None or going.anew:
        return None
    if going.on:
        return last
    if not sys.stdin.isatty():
        print(f"There is an unfinished game of {last.title}; going on with it (start anew with --new).")
        return last
    print(f"There is an unfinished game of {last.title} of {last.started}: {', '.join(last.names)}.")
    if last.game == choice.game.name or request.is_open:
        on = _asked("Go on with it?", "y goes on with it, n sets it aside for later", usual=True)
    else:
        question = f"This board is for {choice.game.title}. Set that game aside and begin a new one?"
        on = not _asked(question, "y begins a new game, n leaves everything as it is", usual=False)
    if not on:
        print("It is set aside: the host's page takes it up again.")
    return last if on else None


def _asked(question: str, choices: str, *, usual: bool) -> bool:
    """Ask until the answer is yes or no; an empty answer is ``usual``. Raise Refused if the input ends."""
    prompt = f"{question} [{'Y/n' if usual else 'y/N'}] "
    while True:
        try:
            answer = input(prompt).strip().casefold()
        except (EOFError, KeyboardInterrupt) as error:
            print()
            raise Refused("nothing was begun; the unfinished game is as it was (--resume goes on with it)") from error
        if answer in YES | NO | {""}:
            return usual if not answer else answer in YES
        print(f"Please answer y or n: {choices}.")


def go_on(runtime: Runtime, journal: Journal, last: GameSummary) -> None:
    """Bring the unfinished game to the table. Raise Refused naming the entry that fails."""
    try:
        entries = [(entry.kind, entry.data) for entry in journal.trusted_entries(last.id)]
        runtime.resume(last.id, entries[0][1]["mode"], entries, journal.moved_claims())
    except JournalError as error:
        raise _not_gone_on_with(f"the unfinished game {last.id}", error) from error
    except (LedgerError, GameError) as error:
        raise Refused(f"the unfinished game {last.id} can't be resumed: {error}. Start anew with --new") from error
    print(f"Resuming {last.id}: the lights guide the board back to its position.")


def _not_gone_on_with(what: str, error: JournalError) -> Refused:
    hint = "" if REPAIR in str(error) else f" {REPAIR}."
    return Refused(f"{what} can't be gone on with. {error}.{hint} --new begins another game")

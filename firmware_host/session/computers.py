"""Seats that computers play: each searches at its level beside the table, seals, and chooses steps for hands to do.

They use the same events as a phone. Their choices depend only on a key, the state of the game and a number of nodes, so
a restart between sealing and opening finds the same placement; no file ever holds one. Without an answer of the search
they play at random: play never stops for it.

Each choice is searched twice. The *quick* search has a sixteenth of the level's nodes and comes first, so that there is
an answer when a computer is hurried, or when its time is up before the *full* search has looked at half of its nodes.
(What the full search has found until it is stopped would do for a step, but not for a seal: it depends on the machine,
and a restart could not find it again.)

**Steps.** A computer takes what its full search finds within :data:`SLOW_S`, else what its quick one has found, and
after :data:`LAST_S` more any action. The question holds the moves of the phase, so that a search keeps to
the way that it has begun, and the rules end what circles for ever.

**Seals.** The time of a seal must not tell how hard it was to find. So it comes after the same time for every position,
with the best placement that is known by then. To open it, the placement is searched again from the same questions and
compared with the commitment; each level's questions are tried, because the host may have changed the level since. If
none fits, for instance with another version of the program, a new seal is proposed.

What computers do as company: they say a word, offer or refuse an end, and resign a game that is lost.

All of it follows from what a computer expects by its own searches for its steps, of which nothing is kept on the disk;
after a restart it has to see some turns again. Nothing depends on a placement that is still sealed: a computer judges
where it acts, with all on the board.

**Resigning.** Only among two players, and only where nothing is left to luck: neither where placements are sealed nor
where a stack is shuffled. A computer resigns after :data:`LONG` turns of its own in a row in which it expected next to
nothing.

**A draw** is accepted after as many turns in which it never expected to be clearly better, and refused at once before.

**An end without change.** Where the rules know the winner (:class:`firmware_host.games.capabilities.HasDecisions`) a
computer proposes the end, once a game; among computers alone it then ends.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from firmware_host.analysis.questions import ActionQuestion, Analyser, Answer
from firmware_host.archive.data_folder import unwritable
from firmware_host.archive.files import read_small, write_whole
from firmware_host.games.game import GameError, Step
from firmware_host.games.levels import strength_of
from firmware_host.games.positions import is_dealt
from firmware_host.games.seals import commitment
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table.events import Event
from firmware_host.table.ledger import Round, level_of, levels_of
from firmware_host.table.stages import chosen_step
from firmware_host.table.state import Table
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.company import STATE as COMPANY
from firmware_host.table.subjects.company import Spoken, Thinking
from firmware_host.table.subjects.proposals import Agreed, Declined, Proposed, can_propose, waiting
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, may_open, open_seats, table_seals
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Text, fill, say

UNSEEN_S = 6.0
"""How long people have for a computer's step that no sensor can see, seconds: a computer has no phone to confirm it."""
SLOW_S = 5.0
"""How long a search for a step lasts at most, and the time that each computer has for a seal, seconds."""
LAST_S = 5.0
"""How long a computer then waits, or once it is hurried, for any answer, seconds: a small Pi may have to start the
process first."""
SHOWN_S = 0.5
"""Thinking that takes longer is shown, seconds."""
QUICK = 16
"""A quick search uses the nodes of its level divided by this."""
RESEAL_S = 60.0
"""How often a computer asks for a new seal if it can't find what it has sealed, seconds."""

Placement = tuple[str, str]
"""A sealed placement: the action and the nonce."""


class ComputerPlayers:
    """Plays every computer seat of a table. ``pause`` is the minimum time to think before each step, seconds."""

    def __init__(self, key: bytes, pause: float = 0.8, analyser: Analyser | None = None) -> None:
        """``key`` is secret and lives as long as the game may be resumed.

        Without ``analyser`` all computers play at random.
        """
        self.analyser = analyser
        self.questions: Sequence[ActionQuestion] = ()
        """What the computers want to know after :meth:`act`, the most urgent first."""
        self._key = key
        self._pause = pause
        self._since: tuple[object, float] | None = None
        """What is waited for, and since when."""
        self._hurried: object = None
        """The step that is hurried."""
        self._seals = ComputerSeals(self)
        self._company = Company()

    def act(self, table: Table, at: float) -> Iterator[Event]:
        """Yield the present actions of computers; each event must be handled before the next is requested."""
        questions: list[ActionQuestion] = []
        if not table.paused and table.phase in {"sealing", "revealing"}:
            yield from self._seals.act(table, at, questions)
        else:
            self._seals.wait_anew()
        if not table.paused and table.phase == "resolving":
            yield from self._resolve(table, at, questions)
        else:
            self._since = None
        self.questions = questions
        thinking = COMPANY.of(table).thinking
        if thinking is not None and not (questions and thinking == table.actor):
            yield Thinking(at=at, seat=None)
        yield from self._company.act(table, at)

    def hurry(self) -> None:
        """Make the computer that thinks now act soon."""
        if self._since is not None:
            self._hurried = self._since[0]

    def _resolve(self, table: Table, at: float, questions: list[ActionQuestion]) -> Iterator[Event]:
        seat = table.actor
        if seat is None or not table.is_computer(seat) or not table.in_order:
            self._since = None  # Thinking is interrupted: its time begins again.
            return
        position = table.ledger.now.position
        if table.chosen_action is None:
            word = f"step {len(table.ledger.moments)} {table.game.text(position)}"
            waited = self._has_waited((table.ledger.game_id, word), self._pause, at)
            answer = self._answer(table, seat, word, at, questions)
            if answer is None:
                if self._waiting_time(at) >= SHOWN_S and COMPANY.of(table).thinking != seat:
                    yield Thinking(at=at, seat=seat)
            elif waited:
                if self._company.expect(table, seat, answer.value):
                    yield from self._company.say(table, seat, "resign", at)
                    yield Resigned(at=at, seat=seat)
                    return
                yield from self._company.praise(table, seat, at)
                action = answer.action
                if action is None:
                    action = table.game.random_action(position, seat, self.rng(table, word))
                yield ActionChosen(at=at, seat=seat, action=action, reason=next(iter(answer.reasons), None))
            return
        step = unseen_step(table)
        if step is not None and self._has_waited((table.ledger.game_id, position, step.action), UNSEEN_S, at):
            yield Confirmed(at=at, seat=seat, action=step.action)

    def _answer(self, table: Table, seat: int, word: str, at: float, questions: list[ActionQuestion]) -> Answer | None:
        """Return the answer for a step, None while a search may still find one. Its action is None if there is none."""
        if self.analyser is None:
            return Answer()
        full = replace(self.question(table, seat, word), seconds=SLOW_S)
        quick = quick_question(table, full)
        questions += [quick, full]
        hurried = self._hurried == (self._since or ("", 0))[0]
        if hurried and self._waiting_time(at) < SLOW_S:
            self._since = (self._hurried, at - SLOW_S)
        late = self._waiting_time(at) >= SLOW_S + LAST_S
        best, other = self.analyser.answer(full), self.analyser.answer(quick)
        if best is None and not (hurried or late):
            return None
        is_whole = best is not None and _is_whole(table, full, best)
        if other is None and not (is_whole or late):
            return None
        for answer in filter(None, (best, other) if is_whole else (other, best)):
            if answer.action is not None and is_legal(table, seat, answer.action):
                return answer
        return Answer()

    def question(self, table: Table, seat: int, word: str, level: int | None = None) -> ActionQuestion:
        """Return a computer's question; ``word`` seeds its random numbers."""
        number = level_of(table.game, table.ledger.sittings[seat]).number if level is None else level
        seed = self.rng(table, word).getrandbits(62)
        return ActionQuestion.at(table.game, table.ledger.moments, seat, number, seed)

    def rng(self, table: Table, word: str) -> Random:
        """Return random numbers that can't be guessed without the key."""
        text = f"{table.ledger.game_id} {word}"
        return Random(hmac.digest(self._key, text.encode(), hashlib.sha256))

    def _has_waited(self, what: object, seconds: float, at: float) -> bool:
        """Return whether the same thing has been waited for at least this long."""
        if self._since is None or self._since[0] != what:
            self._since = (what, at)
        return at >= self._since[1] + seconds

    def _waiting_time(self, at: float) -> float:
        return 0.0 if self._since is None else at - self._since[1]


class ComputerSeals:
    """Seals and openings of computers, also after a restart."""

    def __init__(self, players: ComputerPlayers) -> None:
        """Seal for these."""
        self._players = players
        self._round: object = None
        """The round to which the other attributes belong."""
        self._began: dict[int, float] = {}
        """When each seat that has not sealed yet began to think."""
        self._placements: dict[int, Placement] = {}
        self._asked = -RESEAL_S

    def act(self, table: Table, at: float, questions: list[ActionQuestion]) -> Iterator[Event]:
        """Yield seals and openings, and collect their questions."""
        sealing = table.ledger.round
        if sealing is None:
            return
        if self._round != (sealing.game, sealing.turn, sealing.history):
            self._round = (sealing.game, sealing.turn, sealing.history)
            self._began, self._placements, self._asked = {}, {}, -RESEAL_S
        drawn = table_seals(table)  # The table itself opens what was sealed for a seat whose time was up.
        computers = [seat for seat in sealing.seats if table.is_computer(seat) and seat not in drawn]
        # Several thinkers in sequence need more time; it never depends on the position.
        patience = SLOW_S * len(computers) if len(computers) < len(sealing.seats) else 0.0
        last: list[ActionQuestion] = []  # The full ones come after the quick ones of all.
        for seat in computers:
            if seat not in sealing.commitments:
                self._began.setdefault(seat, at)
                quick, full = self._questions(table, sealing, seat)
                questions.append(quick)
                last.append(full)
                placement = self._placement(table, sealing, seat, at, patience, (full, quick))
                if placement is not None:
                    self._began.pop(seat)
                    digest = _digest(sealing, seat, placement)
                    yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest)
            elif not sealing.is_sealed:  # Its opening is not kept: it is computed again when all have sealed.
                both = self._questions(table, sealing, seat)
                questions += [one for one in both if self._search(one) is not None]  # So the answers are kept.
            elif not self._find_again(table, sealing, seat, questions):
                # Once phones have begun to open, only players or the host can void the turn.
                if not sealing.begun and at >= self._asked + RESEAL_S:
                    self._asked = at
                    yield Proposed(at=at, seat=seat, what="reseal")
            elif seat in self._placements and may_open(table) and seat not in open_seats(table):
                action, nonce = self._placements[seat]
                yield SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=nonce)
        questions += last

    def wait_anew(self) -> None:
        """Restart the waiting time once play goes on: nothing is searched meanwhile."""
        self._began = {}

    def _search(self, question: ActionQuestion) -> Answer | None:
        """Return the answer to a question, None while there is none."""
        return None if self._players.analyser is None else self._players.analyser.answer(question)

    def _placement(
        self,
        table: Table,
        sealing: Round,
        seat: int,
        at: float,
        patience: float,
        questions: tuple[ActionQuestion, ActionQuestion],
    ) -> Placement | None:
        """Return a seat's placement, None while it is too early: the time of a seal must reveal nothing.

        The answer to the first of the questions counts that has a legal one.
        """
        if self._players.analyser is None:
            return self._random(table, sealing, seat)
        waited = at - self._began[seat]
        if waited < (patience or SLOW_S + LAST_S) and (patience or self._search(questions[0]) is None):
            return None
        for answer in filter(None, map(self._search, questions)):
            if answer.action is not None and is_legal(table, seat, answer.action):
                return answer.action, self._nonce(table, sealing, seat)
        return self._random(table, sealing, seat)

    def _find_again(self, table: Table, sealing: Round, seat: int, questions: list[ActionQuestion]) -> bool:
        """Find what a seat has sealed, by its commitment; return False if it can't be found any more."""
        former = self._placements.pop(seat, None)  # It may be of before the turn was void.
        if any(self._keep(sealing, seat, one) for one in (former, self._random(table, sealing, seat))):
            return True
        candidates, nonce = self._candidates(table, sealing, seat), self._nonce(table, sealing, seat)
        answers = [self._search(one) for one in candidates]
        if any(self._keep(sealing, seat, (one.action or "", nonce)) for one in answers if one is not None):
            return True
        questions += candidates
        return self._players.analyser is not None and None in answers

    def _keep(self, sealing: Round, seat: int, placement: Placement | None) -> bool:
        """Keep a placement if it is what the seat has committed to; return whether it is."""
        if placement is None or _digest(sealing, seat, placement) != sealing.commitments[seat]:
            return False
        self._placements[seat] = placement
        return True

    def _questions(self, table: Table, sealing: Round, seat: int) -> tuple[ActionQuestion, ActionQuestion]:
        """Return a seat's questions at its level: the quick one, and the full one."""
        full = self._players.question(table, seat, f"seal {sealing.turn} {seat} {sealing.history}")
        return quick_question(table, full), full

    def _candidates(self, table: Table, sealing: Round, seat: int) -> list[ActionQuestion]:
        """Return the questions that a seat may have had before it sealed: its own level's first, then the others'."""
        quick, full = self._questions(table, sealing, seat)
        others = [replace(full, level=one.number) for one in levels_of(table.game) if one.number != full.level]
        return [quick, full, *(quick_question(table, one) for one in others), *others]

    def _random(self, table: Table, sealing: Round, seat: int) -> Placement:
        rng = self._players.rng(table, f"seal {sealing.turn} {seat} {sealing.history}")
        action = table.game.random_action(table.ledger.now.position, seat, rng)
        return action, f"{rng.getrandbits(128):032x}"

    def _nonce(self, table: Table, sealing: Round, seat: int) -> str:
        rng = self._players.rng(table, f"nonce {sealing.turn} {seat} {sealing.history}")
        return f"{rng.getrandbits(128):032x}"


def _digest(sealing: Round, seat: int, placement: Placement) -> str:
    return commitment(sealing.game, sealing.turn, seat, sealing.history, *placement)


def quick_question(table: Table, question: ActionQuestion) -> ActionQuestion:
    """Return a version of a question that takes little time."""
    return replace(question, nodes=max(1, _nodes(table, question) // QUICK))


def _is_whole(table: Table, question: ActionQuestion, answer: Answer) -> bool:
    """Return whether a full search counts: one that the clock stopped early may have looked at one action alone."""
    return answer.in_time or 2 * answer.nodes >= _nodes(table, question)


def _nodes(table: Table, question: ActionQuestion) -> int:
    """Return the nodes of a question's level."""
    return strength_of(computer_player_of(table.game), question.level, table.ledger.mode).budget.nodes


def is_legal(table: Table, seat: int, action: str) -> bool:
    """Return whether an action is legal for a seat now."""
    try:
        table.game.check(table.ledger.now.position, seat, action)
    except GameError:
        return False
    return True


def unseen_step(table: Table) -> Step | None:
    """Return the step that the actor has chosen, if all sensors that could see it are masked."""
    step = chosen_step(table)
    nodes = {node for move in step.moves for node in (move.source, move.target) if node} if step else set()
    return step if nodes and nodes <= table.watch.tracker.masked else None


# -- computers as company ----------------------------------------------------------------------------------------------


LONG = 4
"""In how many turns of its own a computer has to expect the same."""
LOST = 0.06
"""A score up to which a game is lost, of 1. In trials of a game without draws 35 of 50 games would have been resigned,
mostly 25 to 50 turns before the board was full; whoever would have resigned has won none of them."""
EVEN = 0.55
"""A score up to which a draw is welcome."""
FALL = 0.25
"""By how much a computer's expectation falls after a fine move."""
REST = 6
"""Number of its turns between two words of praise."""
ANSWER_S = 1.5
"""Time until a computer answers an offer: people have to see that there was one, seconds."""

FILE = "company.json"
"""The host's setting, in the data folder."""

WORDS: Mapping[str, Sequence[str]] = {
    "start": (say("Good luck!"), say("Have a good game!"), say("I am looking forward to this.")),
    "fine": (say("A fine move, {name}."), say("Well seen, {name}."), say("I did not expect that, {name}.")),
    "won": (say("Thank you for the game!"), say("That was a good fight. Thank you!")),
    "lost": (say("Well played, congratulations!"), say("You were better today. Well played!")),
    "drawn": (say("Nobody won, and it was a pleasure."),),
    "resign": (say("I can't turn this any more. Well played!"),),
    "decline": (say("No draw yet: I would like to play on."),),
}
"""Occasion → what is said."""


@dataclass(frozen=True)
class _Expected:
    """What a computer expected at its last step of a turn; ``moments`` is the number of moments before that step."""

    turn: int
    moments: int
    value: float


@dataclass(frozen=True)
class CompanySetting:
    """What the host allows: the ``words`` of computers, the ``signs`` of people."""

    words: bool = True
    signs: bool = True

    def to_dict(self) -> dict[str, bool]:
        """Return the setting for the host's page and the data folder."""
        return {"words": self.words, "signs": self.signs}


def read_company(data: Path) -> CompanySetting:
    """Return the host's setting; the default without one or if the file is unreadable."""
    try:
        saved = read_object(read_small(data / FILE))
        return CompanySetting(words=saved["words"] is not False, signs=saved["signs"] is not False)
    except (OSError, InvalidJson, KeyError):
        return CompanySetting()


def save_company(data: Path, setting: CompanySetting) -> CompanySetting:
    """Save the host's setting and return it. Raise TableError if the data folder can't be written."""
    try:
        write_whole(data / FILE, json.dumps(setting.to_dict()))
    except OSError as error:
        raise unwritable(error) from error
    return setting


class Company:
    """The manners of a table's computers."""

    def __init__(self) -> None:
        """Know nothing of any game."""
        self._begin("")

    def _begin(self, game: str) -> None:
        self._game = game
        self._expected: dict[int, tuple[_Expected, ...]] = {}
        self._praised: dict[int, int] = {}
        """Seat → the number of turns that it had expected something of when it last praised a move."""
        self._said: set[str] = set()
        """The occasions at which something was said or offered, once each."""
        self._offer: tuple[object, float] | None = None
        """The open offer, and since when it is open."""

    def act(self, table: Table, at: float) -> Iterator[Event]:
        """Yield what computers say, offer and answer now."""
        if self._game != table.ledger.game_id:
            self._begin(table.ledger.game_id)
        computers = [seat for seat in table.ledger.all_seats if table.is_computer(seat)]
        if not computers or not table.ledger.started or table.paused:
            return
        if table.ledger.over:
            yield from self._at_end(table, computers, at)
            return
        self._said.discard("end")
        if len(table.ledger.moments) == 1 and "start" not in self._said:
            self._said.add("start")
            yield from self.say(table, computers[0], "start", at)
        yield from self._answer(table, computers, at)
        ends = table.phase == "resolving" and proposals.current(table) is None and "decided" not in self._said
        if ends and can_propose(table, "decided") is None:
            self._said.add("decided")
            yield Proposed(at=at, seat=computers[0], what="decided")

    def expect(self, table: Table, seat: int, value: float | None) -> bool:
        """Note what a computer expects where it acts; return whether it resigns."""
        if value is None:
            return False
        moments, turn = len(table.ledger.moments), table.game.turn(table.ledger.now.position)
        before = tuple(one for one in self._expected.get(seat, ()) if one.moments < moments and one.turn != turn)
        self._expected[seat] = (*before[-2 * REST :], _Expected(turn, moments, value))
        return _is_plain(table) and self._always(seat, LOST)

    def praise(self, table: Table, seat: int, at: float) -> Iterator[Event]:
        """Yield a word about what a person has done since a computer's last turn, if it was unexpectedly good."""
        known = self._expected.get(seat, ())
        if len(known) < 2 or len(table.ledger.all_seats) != 2 or known[-2].value - known[-1].value < FALL:
            return
        since = table.ledger.moments[known[-2].moments :]
        people = [one.seat for one in since if one.kind == "action" and not table.is_computer(one.seat)]
        if people and known[-1].turn >= self._praised.get(seat, -REST) + REST:
            self._praised[seat] = known[-1].turn
            yield from self.say(table, seat, "fine", at, name=table.ledger.name(people[-1] or 0))

    def say(self, table: Table, seat: int, occasion: str, at: float, **values: str) -> Iterator[Event]:
        """Yield a computer's words; none where no person plays."""
        if all(sitting.computer for sitting in table.ledger.sittings.values()):
            return
        rng = Random(f"{table.ledger.game_id} {len(table.ledger.moments)} {occasion}")
        text: Text = fill(rng.choice(WORDS[occasion]), **values)
        yield Spoken(at=at, seat=seat, text=text)

    def _always(self, seat: int, most: float) -> bool:
        """Return whether a seat has expected at most this for long."""
        known = self._expected.get(seat, ())[-LONG:]
        return len(known) == LONG and all(one.value <= most for one in known)

    def _answer(self, table: Table, computers: Sequence[int], at: float) -> Iterator[Event]:
        offer = proposals.current(table)
        if offer is None or offer.what != "draw":
            self._offer = None
            return
        if self._offer is None or self._offer[0] is not offer.moment:
            self._offer = (offer.moment, at)
        asked = [seat for seat in waiting(table, offer) if seat in computers]
        if not asked or at < self._offer[1] + ANSWER_S or table.phase not in {"sealing", "revealing", "resolving"}:
            return
        if self._always(asked[0], EVEN):
            yield Agreed(at=at, seat=asked[0], what="draw")
            return
        yield Declined(at=at, seat=asked[0], what="draw")
        yield from self.say(table, asked[0], "decline", at)

    def _at_end(self, table: Table, computers: Sequence[int], at: float) -> Iterator[Event]:
        status = table.ledger.now.status
        if "end" in self._said:
            return
        self._said.add("end")
        if table.ledger.now.kind == "resign" and table.is_computer(table.ledger.now.seat):
            return  # It has said what there was to say.
        seat = next((seat for seat in computers if seat in status.winners), computers[0])
        occasion = "drawn" if not status.winners else "won" if seat in status.winners else "lost"
        yield from self.say(table, seat, occasion, at)


def _is_plain(table: Table) -> bool:
    """Return whether two play, and nothing is hidden or left to luck: then what is lost stays lost."""
    start = table.ledger.moments[0].position
    return len(table.ledger.all_seats) == 2 and not table.game.simultaneous(start) and not is_dealt(table.game)

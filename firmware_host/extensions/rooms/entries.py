"""One game at several tables: entries that another table has made, applied by this table's own rules.

The tables of a room share one log (:mod:`firmware_host.link.common_log`): the entries that make the game. For each
entry one table alone may write it. Here is what the others do with it. Nothing in an entry is believed: the action is
done by this table's rules, and the position after it has to be the one that the other table names; seals are opened
against the commitments that are known here. What does not follow is refused, and has changed nothing.

A far seat's action is usually led by lights, as a computer's is (``ActionChosen``), and counts when it lies here, too.
An entry is received as such when there is nothing for hands to do, or when more has happened meanwhile: then the board
is guided to the position in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from firmware_host.games.capabilities import CIRCLES, capabilities_of
from firmware_host.link.entry_fields import missing_field, wrong_field
from firmware_host.table import stages
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, BEGUN, PLAYING, Event, Seat, Word, event
from firmware_host.table.known_analysis import known_of
from firmware_host.table.ledger import LOT_FIRST, LedgerError, Opening
from firmware_host.table.state import FAR, Table, know
from firmware_host.table.subject import Subject
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.proposals import decision, end_as_decided, end_as_drawn, reseal, void
from firmware_host.table.subjects.resolving import call_loop, enter_action, leave_game
from firmware_host.table.subjects.rounds import receive, reveal_when_open
from firmware_host.text.words import say

Data = Mapping[str, Any]


@event(ANY, verb="entry kind data own")
class EntryReceived(Event):
    """Another table's entry of the shared game: ``kind`` and ``data`` as in the journal."""

    kind: Word
    data: Mapping[str, Any]
    own: bool = False
    """Whether this table has accepted it once already, and has lost that since."""

    def happen(self, change: Change) -> None:
        """Apply an entry of another table. Raise TableError if it does not follow."""
        table, data = change.table, self.data
        apply = _ENTRIES.get(self.kind)
        if apply is None:
            raise _refusal(say("entries of the kind {kind} are not shared", kind=repr(self.kind[:20])))
        if table.ledger.lot_due is not None and self.kind != "lot":
            raise _refusal(LOT_FIRST)
        if table.ledger.started == (self.kind == "start"):
            raise _refusal(say("the game has begun already") if table.ledger.started else say("the game has not begun"))
        if (field := wrong_field(self.kind, data) or missing_field(self.kind, data)) is not None:
            raise _refusal(say("a field is missing or wrong: {field}", field=field[:60]))
        try:
            if self.own and self.kind == "reveal":
                _seal_as_before(change, data)
            apply(change, data)
        except TableError:
            raise
        except LedgerError as error:
            raise _refusal(str(error)) from error
        except (KeyError, TypeError, ValueError) as error:
            raise _refusal(say("a field is missing or wrong: {field}", field=str(error)[:60])) from error
        if self.kind != "reseal" and table.game.text(table.ledger.now.position) != data["position"]:
            raise _refusal(say("by the rules of this table the position after it is another one"))
        proposals.drop(table)


def _refusal(why: str) -> TableError:
    return TableError("bad_entry", why)


def _start(change: Change, data: Data) -> None:
    entry = {name: data[name] for name in ("position", "given", "seed", "deal", "lots") if name in data}
    change.enter("start", entry)
    change.set_up()


def _lot(change: Change, data: Data) -> None:
    """Open the number of a table for the next lot. Once it is drawn, have the board brought to the position.

    Until then the game waits as for a board that is being set up: nobody can act in a position that nobody knows.
    """
    seat, number = data["seat"], data["number"]
    _, moments = change.table.ledger.after_opening(seat, number)
    position = change.table.game.text(moments[-1].position)
    change.enter("lot", {"seat": seat, "number": number, "position": position})
    change.set_up()


@event(PLAYING, say("drawing a lot"), line="lot seat number")
class LotOpened(Event):
    """This table opens its secret number, 64 hex digits, for the lot that draws the next piece of the stack.

    ``seat`` is the first of the table's seats, by which the log names it.
    """

    seat: Seat
    number: Word

    def happen(self, change: Change) -> None:
        try:
            _lot(change, {"seat": self.seat, "number": self.number})
        except LedgerError as error:
            raise TableError("bad_seal", str(error)) from error


def _seal_as_before(change: Change, data: Data) -> None:
    """Seal for the seats here what they had sealed before this table has lost it; what was sealed since is void."""
    for number, (digest, _, _) in data["seals"].items():
        seat, sealing = int(number), change.table.ledger.round
        if sealing is None or change.table.is_far(seat) or sealing.commitments.get(seat) == digest:
            continue
        if seat in sealing.commitments:
            change.enter("reseal", {"turn": sealing.turn, "seat": seat, "past": True})
        change.enter("seal", {"seat": seat, "turn": sealing.turn, "commitment": digest})


def _reveal(change: Change, data: Data) -> None:
    """Open all seals with the openings of the entry; seals that have not come yet are part of it."""
    table = change.table
    sealing = table.ledger.round
    if sealing is None:
        raise _refusal(say("nothing is being sealed now"))
    sent = {int(seat): values for seat, values in data["seals"].items()}
    if set(sent) != set(sealing.seats):
        raise _refusal(say("it opens the seals of other seats"))
    for seat, (digest, _, _) in sorted(sent.items()):
        if seat not in sealing.commitments and not table.is_far(seat):
            raise _refusal(say("seat {seat} has not sealed here", seat=seat))
        if sealing.check_commitment(seat, sealing.turn, digest):
            change.enter("seal", {"seat": seat, "turn": sealing.turn, "commitment": digest})
            sealing = table.ledger.round or sealing
    for seat, (_, action, nonce) in sorted(sent.items()):
        sealing.check_opening(seat, sealing.turn, action, nonce)
        receive(table, seat, Opening(action, nonce))
    reveal_when_open(change)


def _action(change: Change, data: Data) -> None:
    table = change.table
    if table.ledger.round is not None or table.ledger.over or data["seat"] != table.actor:
        raise _refusal(say("seat {seat} does not act now", seat=data["seat"]))
    enter_action(change, data["seat"], data["action"])
    _guide_there(change)


def _guide_there(change: Change) -> None:
    """Guide the board to the position: at the end of a game nothing is to be set up any more."""
    change.note_result()
    if change.table.ledger.over:
        change.move_on()
    else:
        change.set_up()


def _loop(change: Change, data: Data) -> None:
    if data["by"] not in {"proof", *CIRCLES, "agreement"}:
        raise _refusal(say("a loop is called for no known reason"))
    if data["by"] != "agreement" and _contradicts_loop(change.table, data["nodes"], data["by"]):
        raise _refusal(say("by the search of this table this is no loop of these stones"))
    call_loop(change, data["nodes"], data["by"])


def _contradicts_loop(table: Table, nodes: Sequence[str], by: str) -> bool:
    """Return whether what is known here of the present position contradicts another table's proof of a loop."""
    position, search = table.ledger.now.position, capabilities_of(table.game).analysis
    known = known_of(table, position)
    if search is None or (known is not None and known.rest_reachable):
        return True
    if by in CIRCLES:
        return set(nodes) != set(search.circling(position, by))
    return known is not None and (
        known.in_loop is False or (known.in_loop is True and set(nodes) != set(known.loop_nodes))
    )


def _decide(change: Change, data: Data) -> None:
    known = decision(change.table)
    if known is None or known.winner != data["winner"]:
        raise _refusal(say("by the rules of this table the game is not decided"))
    end_as_decided(change, known)


def _draw(change: Change, _data: Data) -> None:
    if change.table.ledger.over:
        raise _refusal(say("the game is over"))
    end_as_drawn(change)


def _resign(change: Change, data: Data) -> None:
    if data["seat"] in change.table.ledger.resigned or change.table.ledger.over:
        raise _refusal(say("seat {seat} can't resign now", seat=data["seat"]))
    leave_game(change, data["seat"])
    _end_wish_to_resign(change.table, data["seat"])


def _end_wish_to_resign(table: Table, seat: int) -> None:
    """Note that a seat has resigned: taken back, it is no wish any more."""
    if (far := FAR.of(table)) is not None:
        know(table, replace(far, resigning=far.resigning - {seat}))


def _correct(change: Change, data: Data) -> None:
    table, to = change.table, data["to"]
    ways = {"hand": {len(table.ledger.moments) - 2}, "agreement": _possible_ways_back(table)}.get(data["by"], set())
    if table.end_stands or to not in ways:
        raise _refusal(say("nothing can be taken back to there"))
    if data["by"] == "hand" and (table.ledger.now.kind != "action" or table.actor != table.ledger.now.seat):
        raise _refusal(say("this can't be taken back by hand"))
    change.go_back(data["by"], to)
    change.set_up()


def _possible_ways_back(table: Table) -> set[int]:
    """Return the moments to which a take-back may lead as another table says (there: ``back_to``).

    Which seats of other tables computers play is not known here, nor what was proved there. What a person here has done
    is never taken back together with later actions of people here.
    """
    moments, found = table.ledger.moments, set[int]()
    last = len(moments) - 1
    for end in (last, last - 1) if moments[last].kind == "loop" else (last,):
        for number in range(end, 0, -1):
            found.add(number - 1)
            if moments[number].kind != "action" or not all(map(table.is_played_for, moments[number].actions)):
                break
            if moments[number - 1].kind != "action":
                break
    return found


def _reseal(change: Change, data: Data) -> None:
    sealing = change.table.ledger.round
    if sealing is None or data["turn"] != sealing.turn:
        raise _refusal(say("nothing is being sealed now"))
    if "seat" in data:
        reseal(change, data["seat"])
    else:
        void(change, "agreement")


_ENTRIES: Mapping[str, Callable[[Change, Data], None]] = {
    "start": _start,
    "lot": _lot,
    "reveal": _reveal,
    "action": _action,
    "loop": _loop,
    "decided": _decide,
    "draw": _draw,
    "resign": _resign,
    "correction": _correct,
    "reseal": _reseal,
}


def lies(table: Table) -> bool:
    """Return whether this table's board is as the game has it, so that the others may go on."""
    ready = table.phase not in {"setup", "placing", "clearing"} and table.board_lost is None
    follows = table.phase == "resolving" and table.is_played_for(table.actor)
    return ready and not table.paused and (not follows or table.in_order)


def led_to(table: Table, seat: int, action: str) -> bool:
    """Return whether the hands here are led to this action of a far seat."""
    return table.actor == seat and table.chosen_action == action and stages.chosen_step(table) is not None


SUBJECT = Subject(
    leads={EntryReceived: {"lobby": "setup", **dict.fromkeys(BEGUN, "setup sealing placing clearing over")}}
)

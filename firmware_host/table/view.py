"""What each phone sees: docs/view.md, built from an allow-list, seat by seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from firmware_host.games.game import Foresight
from firmware_host.table import guide
from firmware_host.table.outlook import is_guided, recommended
from firmware_host.table.proposals import WORDS, can_propose
from firmware_host.table.sealing import TAG
from firmware_host.table.watch import Problem

if TYPE_CHECKING:
    from firmware_host.table.table import Table

LOG_LINES = 60


def public_view(table: Table) -> dict[str, Any]:
    """Return the view that everybody may have; ``seq`` and ``you`` are added by whoever hands it out."""
    ledger, game = table.ledger, table.game
    started = ledger.started
    return {
        "game": {
            "id": ledger.game_id,
            "name": game.name,
            "title": game.title,
            "mode": ledger.mode,
            "modes": list(game.modes),
        },
        "phase": table.phase,
        "paused": table.paused,
        "turn": game.turn(ledger.now.position) if started else None,
        "resolver": table.actor,
        "seats": [_seat(table, seat) for seat in ledger.all_seats],
        "layout": _layout(table),
        "board": {node: list(stack) for node, stack in _board(table).items()},
        "pieces": dict(game.pieces),
        "lights": {
            node: {"meaning": lamp.meaning, "words": lamp.words, "seat": lamp.seat}
            for node, lamp in guide.lamps(table).items()
        },
        "tasks": guide.tasks(table),
        "steps": _steps(table),
        "wanted": table.wanted,
        "question": _question(table),
        "problem": _problem(table),
        "foresight": _foresight(table),
        "proposal": _proposal(table),
        "can": {what: _may_propose(table, what) for what in WORDS},
        "seal": _seal(table),
        "log": [{"n": n, "text": text} for n, text in list(enumerate(ledger.log, 1))[-LOG_LINES:]],
        "message": message(table),
        "result": _result(table),
        "sensors": {"kind": table.kind, "masked": dict(ledger.masked), "suspects": _suspects(table)},
        "notices": list(table.notices.values()),
    }


def message(table: Table) -> str:
    """Return one sentence that says what is going on, for everybody."""
    if table.paused is not None:
        return f"Play stands still: {table.paused}"
    problem = table.watch.problem
    if problem is not None and table.phase in {"resolving", "placing"}:
        return _problem_text(table, problem)
    return _MESSAGES[table.phase](table)


def _board(table: Table) -> Mapping[str, tuple[str, ...]]:
    """Return the stacks to draw: while a loop is cleared, the stones that are still to be taken off lie there."""
    if not table.ledger.started:
        return {}
    if table.phase in {"placing", "clearing"}:
        return table.ledger.now.placed
    return table.game.occupancy(table.ledger.now.position)


def _seat(table: Table, seat: int) -> dict[str, Any]:
    ledger = table.ledger
    sitting, sealing = ledger.sittings.get(seat), ledger.round
    team = next(n for n, seats in enumerate(table.game.teams(ledger.mode), 1) if seat in seats)
    return {
        "seat": seat,
        "name": ledger.name(seat),
        "taken": sitting is not None,
        "computer": table.is_computer(seat),
        "resigned": seat in ledger.resigned,
        "sealed": sealing is not None and seat in sealing.commitments,
        "opened": sealing is not None and seat in sealing.actions,
        "guided": seat not in ledger.unguided,
        "homes": list(table.game.homes(ledger.mode, seat)),
        "team": team,
    }


def _layout(table: Table) -> dict[str, Any]:
    layout = table.game.layout()
    return {
        "nodes": {node: [round(x, 4), round(y, 4)] for node, (x, y) in layout.nodes.items()},
        "lines": [list(line) for line in layout.lines],
        "circles": list(layout.circles),
    }


def _steps(table: Table) -> list[dict[str, Any]]:
    if table.phase != "resolving":
        return []
    tracker = table.watch.tracker
    return [{"action": step.action, "words": step.words, "hidden": tracker.hidden(step)} for step in tracker.steps]


def _question(table: Table) -> dict[str, Any] | None:
    if not table.watch.asking or table.phase != "resolving":
        return None
    choices = table.watch.verdict.choices
    return {
        "text": "The sensors can't tell what was done. Which of these lies on the board?",
        "seat": table.actor,
        "choices": [{"action": step.action, "words": step.words} for step in choices],
    }


def _suspects(table: Table) -> list[dict[str, str]]:
    """Return the nodes whose sensor may be stuck, in words: only people can tell."""
    seen = table.watch.tracker.seen

    def channel(node: str) -> str:
        return f" (channel {table.channels[node]})" if node in table.channels else ""

    return [
        {
            "node": node,
            "words": f"The sensor of {node}{channel(node)} shows {'a stone' if seen[node] else 'nothing'}. "
            "If that is not so, it is stuck: play on without it.",
        }
        for node in table.watch.suspects
        if table.phase not in {"lobby", "over"} and table.paused is None
    ]


def _problem(table: Table) -> dict[str, Any] | None:
    problem = table.watch.problem
    if problem is None or table.phase == "over":
        return None
    return {"text": _problem_text(table, problem), "nodes": list(problem.nodes), "since": round(problem.since, 3)}


def _problem_text(table: Table, problem: Problem) -> str:
    lit = {node: lamp for node, lamp in guide.lamps(table).items() if lamp.meaning in _MENDING}
    words = list(dict.fromkeys(lamp.words for lamp in lit.values()))
    more = len(problem.fixes) - 1
    first = words[0] if words else f"look at {', '.join(problem.nodes)}"
    if problem.kind == "repair":
        start = "The board differs from the game" if table.phase != "setup" else "Set the board up"
        return f"{start}: {first}" + (f" ({more} more to follow)." if more > 0 else ".")
    return f"Wrong stone: {'; '.join(words)}."


_MENDING = frozenset({"wrong", "return", "remove"})


def _foresight(table: Table) -> dict[str, Any] | None:
    known = table.foresight
    if known is None:
        return None
    step = recommended(table)
    return {
        "rest_reachable": known.rest_reachable,
        "in_loop": known.in_loop,
        "end": known.end,
        "exact": known.exact,
        "steps_left": len(known.way),
        "guided": is_guided(table),
        "next": step.action if step else None,
        "next_words": step.words if step else None,
        "words": _foresight_words(known),
    }


def _foresight_words(known: Foresight) -> str:
    if known.rest_reachable is None:
        return "Whether the stones can come to rest is not known yet."
    if known.rest_reachable:
        return "The stones can come to rest."
    return "No rest can be reached from here: it ends in a loop."


def _proposal(table: Table) -> dict[str, Any] | None:
    proposal = table.proposal
    if proposal is None:
        return None
    return {
        "what": proposal.what,
        "words": f"{table.ledger.name(proposal.by)} proposes {proposal.words}.",
        "by": proposal.by,
        "agreed": sorted(proposal.agreed),
        "waiting": list(proposal.waiting(table)),
    }


def _may_propose(table: Table, what: str) -> bool:
    playing = table.phase not in {"lobby", "over", "clearing"}
    return playing and table.proposal is None and can_propose(table, what) is None


def _seal(table: Table) -> dict[str, Any] | None:
    sealing = table.ledger.round
    if sealing is None or table.phase not in {"sealing", "revealing"}:
        return None
    position = table.ledger.now.position
    actions = table.game.actions(position)
    offered = actions.get(sealing.seats[0], ()) if sealing.seats else ()
    moves = [move for action in offered for _, move in table.game.placements(position, {sealing.seats[0]: action})]
    return {
        "tag": TAG,
        "game": sealing.game,
        "turn": sealing.turn,
        "history": sealing.history,
        "nodes": sorted({move.target for move in moves if move.target}, key=list(table.game.layout().nodes).index),
        "colours": sorted({piece for move in moves for piece in move.pieces}, reverse=True),
        "commitments": {str(seat): digest for seat, digest in sealing.commitments.items()},
    }


def _result(table: Table) -> dict[str, Any] | None:
    ledger = table.ledger
    if not ledger.over:
        return None
    status = ledger.now.status
    lines = [
        {
            "seats": list(line.seats),
            "names": [ledger.name(seat) for seat in line.seats],
            "score": line.score,
            "tiebreak": line.tiebreak,
            "counted": dict(line.counted),
            "sector": dict(line.sector),
            "won": bool(set(line.seats) & set(status.winners)),
        }
        for line in table.game.explain(ledger.now.position)
    ]
    return {
        "reason": status.reason,
        "words": ENDINGS.get(status.reason or "", "The game is over."),
        "winners": list(status.winners),
        "lines": lines,
    }


ENDINGS = {
    "filled": "Every home node of a player carries a stone.",
    "blocked": "Every way to a player's home nodes is blocked.",
    "loop": "An unbreakable loop ended the game; its stones are removed and count for nobody.",
    "full": "There is no empty node left to place on, or no stones are left.",
    "resigned": "All others have resigned.",
}


def _names(table: Table, seats: list[int]) -> str:
    return " and ".join(table.ledger.name(seat) for seat in seats)


def _lobby(table: Table) -> str:
    waiting = [seat for seat in table.ledger.all_seats if seat not in table.ledger.sittings]
    if waiting:
        return f"Waiting for {len(waiting)} more player{'s' if len(waiting) > 1 else ''}: scan a code to join."
    return "All seats are taken. Press start."


def _setup(table: Table) -> str:
    problem = table.watch.problem
    return _problem_text(table, problem) if problem else "The board is being looked at."


def _sealing(table: Table) -> str:
    sealing = table.ledger.round
    waiting = [seat for seat in sealing.seats if seat not in sealing.commitments] if sealing else []
    return f"Turn {_turn(table)}: choose and seal a placement. Waiting for {_names(table, waiting)}."


def _revealing(table: Table) -> str:
    sealing = table.ledger.round
    waiting = [seat for seat in sealing.seats if seat not in sealing.actions] if sealing else []
    return f"All have sealed. Waiting for the phone of {_names(table, waiting)} to open its seal."


def _placing(table: Table) -> str:
    todo = [f"{table.ledger.name(seat)} {move.target}" for seat, move in table.watch.missing_pieces()]
    if table.watch.unseen_stacks() and len(todo) < len(table.watch.placements):
        return "Put all stones down, also those on one node; then tap that stack or confirm on a phone."
    return f"Put the stones down where the lights breathe: {', '.join(todo)}." if todo else "All stones lie."


def _resolving(table: Table) -> str:
    name = table.ledger.name(table.actor or 0)
    if table.watch.asking:
        return f"{name}: tap the stack, or say on the phone what was done."
    verdict = table.watch.verdict
    if verdict.lifted and verdict.live:
        targets = dict.fromkeys(m.target for step in verdict.live for m in step.moves if m.target)
        return f"{name} holds the stone of {', '.join(verdict.lifted)}: it may go to {', '.join(targets)}."
    count = len(table.watch.tracker.steps)
    if table.is_computer(table.actor):
        step = next((s for s in table.watch.tracker.steps if s.action == table.wanted), None)
        return f"{name} (computer): {step.words}." if step else f"{name} (computer) is thinking."
    return f"{name} resolves turn {_turn(table)}: {count} possible step{'s' if count != 1 else ''}."


def _clearing(_table: Table) -> str:
    return "An unbreakable loop has ended the game: take the stones that glow violet off the board."


def _over(table: Table) -> str:
    status = table.ledger.now.status
    won = _names(table, list(status.winners))
    return f"The game is over: {won} {'have' if len(status.winners) > 1 else 'has'} won." if won else "A draw."


def _turn(table: Table) -> int:
    return table.game.turn(table.ledger.now.position)


_MESSAGES: Mapping[str, Callable[[Table], str]] = {
    "lobby": _lobby,
    "setup": _setup,
    "sealing": _sealing,
    "revealing": _revealing,
    "placing": _placing,
    "resolving": _resolving,
    "clearing": _clearing,
    "over": _over,
}

"""What each phone sees: docs/view.md, built from an allow-list, seat by seat; and the paths of pieces that drawings
show.

Everything is derived from the table's state, as the lights are, and matches the tasks: one stone at a time while the
board is mended.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast, get_type_hints, is_typeddict

from firmware_host.games import naming
from firmware_host.games.capabilities import Attempt, Facts, aim_of, capabilities_of
from firmware_host.games.drawing import ASKED, MADE, Arrow, Way, arrows_along, layout_view, straight_way, ways_of
from firmware_host.games.game import Analysis, Game, Step, bounded_cache
from firmware_host.games.levels import Level
from firmware_host.games.positions import SEED, is_dealt, occupancy_after, starting, whole
from firmware_host.games.seals import TAG, deal_seal, shown_short
from firmware_host.table import guide, stages
from firmware_host.table import view_form as form
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.guide import SENTENCES, problem_text, reminder
from firmware_host.table.hypotheses import Hypotheses
from firmware_host.table.ledger import level_of, levels_of
from firmware_host.table.state import Table
from firmware_host.table.subject import subjects
from firmware_host.table.subjects import boardless
from firmware_host.table.subjects import timekeeping as clocks
from firmware_host.table.subjects.proposals import WHY_PAUSED
from firmware_host.table.subjects.rounds import (
    may_open,
    open_seats,
    own_messages,
    ready_phones,
    revealing_sentence,
    sealing_sentence,
)
from firmware_host.table.subjects.seats import lobby_sentence
from firmware_host.table.watch import Fix
from firmware_host.text.json_reader import components
from firmware_host.text.words import say

_log = logging.getLogger(__name__)


class Player(form.SeatPart):
    """What everybody may see of a seat, with the parts of subjects."""


class PublicView(form.TablePart):
    """What everybody may see of a table, with the parts of subjects."""

    seats: Sequence[Player]


class You(TypedDict):
    """The seat of the phone that asks."""

    seat: form.Seat
    claim_ok: Literal[True]


class View(PublicView):
    """What one phone gets: the view for all, its number, and the phone's own part."""

    seq: form.Count
    you: You | None
    host: bool


def view_form() -> Any:
    """Return :class:`View` with the parts of all subjects: the form of what a phone gets, fully."""
    player = _form(Player, [one.seat_view for one in subjects()])
    return _form(View, [one.view for one in subjects()], seats=cast("Any", Sequence)[player])


def _form(base: Any, makers: Iterable[Callable[..., object]], **others: Any) -> Any:
    """Return a typed dictionary with the fields of another, and of those that some functions say they return."""
    fields = get_type_hints(base, include_extras=True)
    for maker in makers:
        fields |= _told_fields(maker)
    return cast("Any", TypedDict)(base.__name__, {**fields, **others})


def _told_fields(maker: Callable[..., object]) -> dict[str, Any]:
    """Return the fields that a function says it returns, none if that can't be described: the panel opens all the same.

    A type may be imported for checkers alone (NameError), or have a form that JSON Schema has not (TypeError).
    """
    try:
        made = get_type_hints(maker).get("return")
        if is_typeddict(made):
            components(made)
            return get_type_hints(made, include_extras=True)
    except (NameError, TypeError) as error:
        _log.warning("what %s adds to the view is not described: %s", maker.__module__, error)
    return {}


HELD = say("The host has paused the game. When it goes on, the board is checked first.")


def public_view(table: Table) -> PublicView:
    """Return the view for everybody; the caller adds ``seq`` and ``you``."""
    seats = [_seat(table, seat) for seat in table.ledger.all_seats]
    return cast("PublicView", _join(_of_table(table), {"seats": seats}, *(one.view(table) for one in subjects())))


def _join(*parts: Mapping[str, object]) -> dict[str, object]:
    return {name: value for part in parts for name, value in part.items()}


def _of_table(table: Table) -> form.TablePart:
    ledger, game = table.ledger, table.game
    started = ledger.started
    last = last_step(table)
    return {
        "game": {
            "id": ledger.game_id,
            "name": game.name,
            "title": game.title,
            "aim": aim_of(game),
            "mode": ledger.mode,
            "modes": list(game.modes),
            "rules": _rules(table),
            "scoring": _scoring(table),
            "goals": game.goals,
            "secrets": started and game.simultaneous(ledger.moments[0].position),
            "colours": not ledger.own_colours,
        },
        "lesson": table.lesson,
        "phase": table.phase,
        "standstill": table.board_lost,
        "paused": table.paused,
        "turn": _turn(table) if started else None,
        "resolver": _resolver(table),
        "levels": [_level(level) for level in levels_of(game)],
        "layout": layout_view(table.game),
        "board": {node: list(stack) for node, stack in _board(table).items()},
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "lights": {
            node: {
                "meaning": lamp.meaning,
                "words": "" if boardless.without_board(table) else lamp.words,
                "seat": lamp.seat,
            }
            for node, lamp in guide.lamps(table).items()
        },
        "arrows": arrows(table, last),
        # To these the last step brought pieces from beside the board: no arrow shows them.
        "brought": [move.target for move in last.moves if move.source is None and move.target] if last else [],
        "tasks": guide.tasks(table),
        "steps": _steps(table),
        "stage": list(table.done_stages),
        "tidying": table.tidying,
        "reminder": None if boardless.without_board(table) else reminder(table),
        "supply": _supply(table),
        "stock": dict(_facts(table).stock),
        "actions": _actions(table),
        "wanted": table.chosen_action,
        "question": _question(table),
        "problem": _problem(table),
        "analysis": _analysis(table),
        "seal": _seal(table),
        "deal": _deal(table),
        "lots": bool(ledger.lots),
        "log": [{"n": n, "text": text} for n, text in enumerate(ledger.log, ledger.told - len(ledger.log) + 1)],
        "message": _pause_words(table) if table.paused else message(table),
        "own_messages": {str(seat): text for seat, text in {**own_messages(table), **_boardless_own(table)}.items()},
        "standing": _lines(table) if started and game.scoring else None,
        "result": _result(table),
        "clocks": clocks.clocks_view(table),
        "notices": list(table.notices.values()),
    }


def _pause_words(table: Table) -> str:
    """Return the sentence that the game is paused, with the reason if the program paused it."""
    reason = WHY_PAUSED.of(table)
    if boardless.without_board(table):
        return boardless.HELD
    if reason is None:
        return HELD
    return say("{reason} The host lets the game go on; the board is checked first.", reason=reason)


def _turn(table: Table) -> int:
    """Return the present turn: while pieces are put down or taken off, that of the action that requires it."""
    acts = [one for one in table.ledger.moments if one.kind != "resign"]
    late = table.phase in {"placing", "clearing"} and len(acts) > 1
    return table.game.turn(acts[-2].position if late else table.ledger.now.position)


def _resolver(table: Table) -> int | None:
    """Return the seat that acts or will: nobody while pieces are put down after which nothing is to be done."""
    idle = table.phase == "placing" and table.game.simultaneous(table.ledger.now.position)
    return None if idle else table.actor


def _rules(table: Table) -> list[str]:
    """Return the active options of the rules, in words."""
    found = capabilities_of(table.game).options
    return [found.options[option] for option in sorted(found.rules)] if found else []


def _scoring(table: Table) -> form.ScoringView | None:
    scoring = table.game.scoring
    if scoring is None:
        return None
    return cast("form.ScoringView", {name: getattr(scoring, name) for name in form.ScoringView.__annotations__})


def _board(table: Table) -> Mapping[str, tuple[str, ...]]:
    """Return the stacks to draw: while pieces are cleared, including those that are still to be taken off."""
    if not table.ledger.started:
        return {}
    if table.phase in {"placing", "clearing"}:
        return table.ledger.now.placed
    return occupancy_after(table.game, table.ledger.now.position, table.done_stages)


def _seat(table: Table, seat: int) -> Player:
    return cast("Player", _join(_of_seat(table, seat), *(one.seat_view(table, seat) for one in subjects())))


def _of_seat(table: Table, seat: int) -> form.SeatPart:
    ledger = table.ledger
    sitting, sealing = ledger.sittings.get(seat), ledger.round
    plays = table.game.plays(ledger.now.position) if ledger.started else {}
    team = next(n for n, seats in enumerate(table.game.teams(ledger.mode), 1) if seat in seats)
    return {
        "seat": seat,
        "name": ledger.name(seat),
        "taken": sitting is not None,
        "computer": table.is_computer(seat),
        "level": _level(level_of(table.game, sitting)) if sitting is not None and sitting.computer else None,
        "resigned": seat in ledger.resigned,
        "late": seat in ledger.late,
        "sealed": sealing is not None and seat in sealing.commitments,
        "opened": seat in open_seats(table),
        "homes": list(table.game.homes(ledger.mode, seat)),
        "team": team,
        "plays": plays.get(seat),
        "role": _facts(table).roles.get(seat),
        "colour": ledger.colours[seat],
        "table": table.far.seats.get(seat) if table.far is not None else None,
    }


def _level(level: Level) -> form.LevelView:
    return {"level": level.number, "name": level.name, "about": level.about}


def _supply(table: Table) -> form.Supply | None:
    """Return the tile that is laid next, None without one."""
    tiles, ledger = capabilities_of(table.game).tiles, table.ledger
    if tiles is None or not ledger.started or ledger.over or ledger.lot_due is not None:
        return None
    supply = tiles.supply(ledger.now.position)
    return {"piece": supply.piece, "left": supply.left}


def _facts(table: Table) -> Facts:
    """Return what the game tells beside the board; nothing before it has begun, and after its end."""
    found, ledger = capabilities_of(table.game).facts, table.ledger
    return found.facts(ledger.now.position) if found and ledger.started and not ledger.over else Facts()


def _actions(table: Table) -> form.ActionsLeft | None:
    actions = _facts(table).actions
    return {"left": actions[0], "most": actions[1]} if actions else None


def _steps(table: Table) -> list[form.StepView]:
    if table.phase != "resolving" or table.paused:
        return []
    return _steps_of(table.watch.tracker.hypotheses, table.watch.tracker.masked)


@bounded_cache(4)
def _steps_of(hypotheses: Hypotheses, masked: frozenset[str]) -> list[form.StepView]:
    """Return the legal steps of a position; cached, as there are many and they stay the same until a step counts."""
    return [_step(step, hypotheses.is_hidden(step, masked)) for step in hypotheses.steps]


def _step(step: Step, hidden: bool) -> form.StepView:
    return {
        "action": step.action,
        "words": step.words,
        "hidden": bool(step.moves) and hidden,
        "moves": [[move.source, move.target] for move in step.moves],
        "line": list(step.line),
        "tap_twice": bool(step.tap_twice),
        "partial": step.partial,
    }


def _question(table: Table) -> form.Question | None:
    if not table.watch.asking or table.paused:
        return None
    choices = [one.step for one in table.watch.asked]
    return {
        "text": _asks(table, choices),
        "seat": table.answering_seat,
        "choices": [{"action": step.action, "words": step.words} for step in choices],
    }


def _asks(table: Table, choices: Sequence[Step]) -> str:
    """Return the question above the choices."""
    if boardless.without_board(table):
        return say("Was it this move?") if len(choices) == 1 else say("Which of these moves was it?")
    if table.watch.tracker.evidence.unread(choices):
        return say("How is the tile turned? The sensors can't tell.")
    if len(choices) == 1:
        hidden = all(map(table.watch.tracker.is_hidden, choices))
        return say("No sensor shows whether this is done. Is it?") if hidden else say("Was it this move?")
    return say("The sensors can't tell what was done. Which of these was it?")


def _problem(table: Table) -> form.ProblemView | None:
    problem = table.watch.problem
    if problem is None or table.phase == "over" or table.paused or boardless.without_board(table):
        return None
    return {
        "text": problem_text(table, problem),
        "nodes": list(problem.nodes),
        "since": round(problem.since, 3),
        "fault": problem.kind != "held",
    }


def _analysis(table: Table) -> form.AnalysisView | None:
    known = table.analysis
    if known is None:
        return None
    words = _analysis_words(known)
    return {"rest_reachable": known.rest_reachable, "in_loop": known.in_loop, "words": words}


def _analysis_words(known: Analysis) -> str:
    if known.rest_reachable is None:
        return say("Whether the stones can come to rest is not known yet.")
    if known.rest_reachable:
        return say("The stones can come to rest.")
    return say("The stones can't come to rest any more: this ends in a loop.")


def _seal(table: Table) -> form.Seal | None:
    sealing = table.ledger.round
    if sealing is None or table.phase not in {"sealing", "revealing"}:
        return None
    return {
        "tag": TAG,
        "game": sealing.game,
        "turn": sealing.turn,
        "history": sealing.history,
        "open": may_open(table),
        "awake": ready_phones(table) if sealing.is_sealed else [],
        **_placements(table.game, table.ledger.now.position, sealing.seats[:1]),
        "commitments": {str(seat): digest for seat, digest in sealing.commitments.items()},
    }


@bounded_cache(4)
def _placements(game: Game[Any], position: Any, seats: tuple[int, ...]) -> form.Placements:
    """Return where a seat can place which pieces, and why not elsewhere, or others.

    Phones need no further request, which would show where a finger points.
    """
    actions = game.actions(position)
    offered = [action for seat in seats for action in actions.get(seat, ())]
    moves = [move for action in offered for _, move in game.placements(position, {seats[0]: action})]
    nodes = {move.target for move in moves if move.target}
    colours = {piece for move in moves for piece in move.pieces}
    order, reasons, first = list(game.layout().nodes), capabilities_of(game).reasons, next(iter(nodes), None)
    closed = {node: Attempt(None, node) for node in order if node not in nodes}
    spent = {piece: Attempt(None, first, piece) for piece in game.pieces if first and piece not in colours}

    def why(attempts: Mapping[str, Attempt]) -> dict[str, str]:
        found = {what: reasons.why_not(position, attempt) if reasons else None for what, attempt in attempts.items()}
        return {what: words for what, words in found.items() if words is not None}

    return {
        "nodes": sorted(nodes, key=order.index),
        "colours": sorted(colours, reverse=True),
        "closed": why(closed),
        "spent": why(spent),
    }


def _deal(table: Table) -> form.Deal | None:
    """Return the seal of the deal: in the lobby of the coming one, then of the one played."""
    ledger = table.ledger
    if ledger.started or not is_dealt(table.game) or table.far is not None:
        seal = ledger.deal  # Where other tables play along none is dealt.
    else:
        position = table.game.text(starting(table.game, ledger.mode, {SEED: table.seed}))
        seal = deal_seal(ledger.game_id, table.seed, position)
    return None if seal is None else {"commitment": seal, "short": shown_short(seal)}


def _lines(table: Table) -> list[form.Score]:
    """Return every score as it stands."""
    ledger = table.ledger
    winners = set(ledger.now.status.winners)
    return [
        {
            "seats": list(line.seats),
            "names": [ledger.name(seat) for seat in line.seats],
            "score": line.score,
            "tiebreak": line.tiebreak,
            "counted": dict(line.counted),
            "sector": dict(line.sector),
            "won": bool(set(line.seats) & winners),
        }
        for line in table.game.explain(ledger.now.position)
    ]


def _course(table: Table) -> list[form.TurnScores]:
    """Return the scores after each turn of a finished game: empty where nothing is counted."""
    game = table.game
    if not game.scoring:
        return []
    # The last moment of a turn is how it ended; the last of all may be a loop, whose pieces count for nobody.
    last = {game.turn(moment.position): moment.position for moment in table.ledger.moments}
    return [
        {"turn": turn, "scores": [line.score for line in game.explain(position)]} for turn, position in last.items()
    ]


def _result(table: Table) -> form.Result | None:
    ledger = table.ledger
    if not ledger.over:
        return None
    status = ledger.now.status
    return {
        "reason": ledger.reason,
        "words": ledger.ending,
        "winners": list(status.winners),
        "lines": _lines(table),
        "course": _course(table),
    }


def message(table: Table) -> str:
    """Return one sentence about the present state, for everybody."""
    if table.board_lost is not None:
        return say("Play stands still: {reason}", reason=table.board_lost)
    if (words := _boardless(table)) is not None:
        return words
    problem, phase = table.watch.problem, table.phase
    usual = _SENTENCES[phase]
    if table.watch.asking and phase not in {"resolving", "over"}:
        return say("{first} {then}", first=guide.question(table), then=usual(table))
    if problem is None or phase in {"lobby", "setup", "over"}:
        return _taught(table) or usual(table)
    mend = problem_text(table, problem)
    sealing = phase in {"sealing", "revealing"}
    return say("{first} {then}", first=mend, then=usual(table)) if sealing else mend


_BY_HAND = frozenset({"setup", "placing", "clearing"})
"""Phases in which hands move what the rules have moved."""


def _boardless(table: Table) -> str | None:
    """Return the sentence for everybody where the usual one would speak of a board; None for the usual one."""
    if not boardless.without_board(table) or table.phase in BETWEEN_GAMES:
        return None
    if table.phase in _BY_HAND or guide.next_fixes(table):
        return boardless.MOVED
    if table.phase != "resolving" or table.waits_for_tables is not None:
        return None
    actor, step = table.actor or 0, stages.chosen_step(table)
    name = table.ledger.name(actor)
    if step is not None:
        return say("{name}: {step}.", name=name, step=step.words)
    if table.is_played_for(actor):
        return say("{name} is thinking.", name=name)
    return say("{name} chooses on the phone.", name=name)


def _boardless_own(table: Table) -> dict[int, str]:
    """Return the sentence for the phone of who chooses."""
    chooses = table.phase == "resolving" and stages.chosen_step(table) is None and not guide.next_fixes(table)
    if not boardless.without_board(table) or not chooses or table.actor is None or table.is_played_for(table.actor):
        return {}
    return {table.actor: say("Your turn: choose what to do.")}


def _taught(table: Table) -> str | None:
    """Return the sentence of a lesson while nothing else is urgent; None at any other table."""
    lesson, verdict = table.lesson, table.watch.verdict
    if lesson is None or table.phase not in {"sealing", "resolving", "over"}:
        return None
    if table.phase == "resolving" and (verdict.lifted or table.watch.asking or table.chosen_action):
        return None
    return lesson["said"] if lesson["done"] and lesson["said"] else lesson["words"]


_SENTENCES: Mapping[str, Callable[[Table], str]] = {
    "lobby": lobby_sentence,
    "sealing": sealing_sentence,
    "revealing": revealing_sentence,
    **SENTENCES,
}


# -- arrows ------------------------------------------------------------------------------------------------------------


def arrows(table: Table, last: Step | None) -> list[Arrow]:
    """Return the arrows to draw now (docs/view.md), the fainter ones first; ``last`` is the :func:`last_step`."""
    if not table.ledger.started:
        return []
    asked = () if table.paused else _ways_to_show(table)
    return arrows_along(MADE, ways_of(last) if last else []) + arrows_along(ASKED, asked)


def last_step(table: Table) -> Step | None:
    """Return the last step; None while the board is being mended: what was done would distract."""
    ledger = table.ledger
    if not ledger.started or ledger.now.kind != "action" or _fixes(table) or table.phase == "setup":
        return None
    (action,) = ledger.now.actions.values()
    return whole(table.game, ledger.moments[-2].position, action)


def _ways_to_show(table: Table) -> Sequence[Way]:
    """Return the paths along which hands are asked to carry pieces now: to mend the board, or as was chosen."""
    fixes, step = _fixes(table), _led_to(table)
    return straight_way(fixes[0]) if fixes else ways_of(step) if step is not None else ()


def _fixes(table: Table) -> tuple[Fix, ...]:
    problem = table.watch.problem
    return problem.fixes if problem is not None and table.phase != "over" else ()


def _led_to(table: Table) -> Step | None:
    """Return the step to which hands are led, unless it lies already or they have begun another."""
    watch = table.watch
    if table.phase != "resolving" or watch.asking or watch.verdict.kind == "settling":
        return None
    step = stages.chosen_step(table)
    begun = watch.verdict.live if watch.verdict.lifted else ()
    return step if step is None or not begun or step.action in {one.action for one in begun} else None

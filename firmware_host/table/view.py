"""What each phone sees: docs/view.md, built from an allow-list, seat by seat."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from firmware_host.games import naming
from firmware_host.games.game import Foresight, Game, Layout, Step
from firmware_host.games.levels import Level
from firmware_host.games.offers import Attempt, HasOptions, HasTiles, rules_of, taught
from firmware_host.table import hosted, staging
from firmware_host.table.arrows import arrows
from firmware_host.table.dealing import SEED, deal_seal, is_dealt, shown_short, starting
from firmware_host.table.levels import level_of, levels_of
from firmware_host.table.opening import awake, may_open, opened
from firmware_host.table.outlook import is_guided, recommended
from firmware_host.table.pieces import noun
from firmware_host.table.proposals import WORDS, can_propose, decision, still_declined, why_seal_stands
from firmware_host.table.reasons import why_not
from firmware_host.table.sealing import TAG
from firmware_host.table.sentences import message, own_messages, problem_text, reminder
from firmware_host.text.words import fill, say

if TYPE_CHECKING:
    from firmware_host.table.table import Table

LOG_LINES = 60
HELD = say("The host has paused the game. When it goes on, the board is checked first.")


def public_view(table: Table) -> dict[str, Any]:
    """Return the view that everybody may have; ``seq`` and ``you`` are added by whoever hands it out."""
    ledger, game = table.ledger, table.game
    started = ledger.started
    return {
        "game": {
            "id": ledger.game_id,
            "name": game.name,
            "title": game.title,
            "aim": _aim(game),
            "mode": ledger.mode,
            "modes": list(game.modes),
            "rules": _rules(table),
            "scoring": _scoring(table),
            "goals": game.goals,
            "secrets": started and game.simultaneous(ledger.moments[0].position),
            "colours": not ledger.own_colours,
        },
        "phase": table.phase,
        "paused": table.paused,
        "held": table.held,
        "asks": hosted.asked(table),
        "turn": _turn(table) if started else None,
        "resolver": table.actor,
        "seats": [_seat(table, seat) for seat in ledger.all_seats],
        "levels": [_level(level) for level in levels_of(game)],
        "layout": layout_view(table.game),
        "board": {node: list(stack) for node, stack in _board(table).items()},
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "lights": {
            node: {"meaning": lamp.meaning, "words": lamp.words, "seat": lamp.seat}
            for node, lamp in hosted.lamps(table).items()
        },
        "arrows": arrows(table),
        "tasks": hosted.tasks(table),
        "steps": _steps(table),
        "stage": list(table.done_stages),
        "tidying": table.tidying,
        "reminder": reminder(table),
        "supply": _supply(table),
        "wanted": table.wanted,
        "thinking": table.thinking,
        "reason": {"seat": table.reason[0], "text": table.reason[1]} if table.reason else None,
        "question": _question(table),
        "problem": _problem(table),
        "foresight": _foresight(table),
        "decided": _decided(table),
        "proposal": _proposal(table),
        "cannot": _cannot(table),
        "can": {what: _may_propose(table, what) for what in WORDS},
        "seal": _seal(table),
        "deal": _deal(table),
        "log": [{"n": n, "text": text} for n, text in list(enumerate(ledger.log, 1))[-LOG_LINES:]],
        "message": _held(table) if table.held else message(table),
        "own_messages": {str(seat): text for seat, text in own_messages(table).items()},
        "standing": _lines(table) if started and game.scoring else None,
        "result": _result(table),
        "sensors": {"kind": table.kind, "masked": dict(ledger.masked), "suspects": _suspects(table)},
        "notices": list(table.notices.values()),
    }


def _held(table: Table) -> str:
    """Say that the game is paused, and why if not the host did it."""
    reason = table.held_because
    if reason is None:
        return HELD
    return say("{reason} The game goes on when the host says so; the board is looked at then.", reason=reason)


def _turn(table: Table) -> int:
    """Return the turn that is played: while pieces are put down or taken off, that of the action that asks for it."""
    moments = table.ledger.moments
    at = moments[-2] if table.phase in {"placing", "clearing"} and len(moments) > 1 else moments[-1]
    return table.game.turn(at.position)


def _aim(game: Game[Any]) -> str | None:
    sheet = taught(game)
    return sheet.aim if sheet else None


def _rules(table: Table) -> list[str]:
    """Return the options of the rules that are on, in words."""
    game = table.game
    return [game.options[option] for option in sorted(rules_of(game))] if isinstance(game, HasOptions) else []


def _scoring(table: Table) -> dict[str, str] | None:
    scoring = table.game.scoring
    if scoring is None:
        return None
    return {"score": scoring.score, "tiebreak": scoring.tiebreak, "hint": scoring.hint, "tied": scoring.tied}


def _board(table: Table) -> Mapping[str, tuple[str, ...]]:
    """Return the stacks to draw: while pieces are cleared, those that are still to be taken off lie there."""
    if not table.ledger.started:
        return {}
    if table.phase in {"placing", "clearing"}:
        return table.ledger.now.placed
    return staging.lying(table.game, table.ledger.now.position, table.done_stages)


def _seat(table: Table, seat: int) -> dict[str, Any]:
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
        "sealed": sealing is not None and seat in sealing.commitments,
        "opened": seat in opened(table),
        "declined": [{"what": no.what, "about": no.about} for no in still_declined(table) if no.by == seat],
        "may_reseal": ledger.started and why_seal_stands(table, seat) is None,
        "guided": seat not in ledger.unguided,
        "homes": list(table.game.homes(ledger.mode, seat)),
        "team": team,
        "plays": plays.get(seat),
        "colour": ledger.colours[seat],
    }


def _level(level: Level) -> dict[str, Any]:
    return {"level": level.number, "name": level.name, "about": level.about}


def layout_view(game: Game[Any], layout: Layout | None = None) -> dict[str, Any]:
    """Return the board's drawing (None: the game's own), and its tiles: the field ``layout``, wherever it stands."""
    layout = layout or game.layout()
    return {
        "nodes": {node: [round(x, 4), round(y, 4)] for node, (x, y) in layout.nodes.items()},
        "lines": [list(line) for line in layout.lines],
        "circles": list(layout.circles),
        "wells": [node for node in layout.nodes if node in layout.wells],
        "paths": [[list(point) for point in path] for path in layout.paths],
        "tiles": _tiles(game),
    }


def _tiles(game: Game[Any]) -> dict[str, list[list[int]]] | None:
    if not isinstance(game, HasTiles):
        return None
    return {name: [list(line) for line in lines] for name, lines in game.tiles.items()}


def _supply(table: Table) -> dict[str, Any] | None:
    """Return the tile that is laid next, while one is."""
    game, ledger = table.game, table.ledger
    if not isinstance(game, HasTiles) or not ledger.started or ledger.over:
        return None
    supply = game.supply(ledger.now.position)
    return {"piece": supply.piece, "left": supply.left}


def _steps(table: Table) -> list[dict[str, Any]]:
    if table.phase != "resolving" or table.held:
        return []
    return [_step(table, step) for step in table.watch.tracker.steps]


def _step(table: Table, step: Step) -> dict[str, Any]:
    return {
        "action": step.action,
        "words": step.words,
        "hidden": bool(step.moves) and table.watch.tracker.is_hidden(step),
        "moves": [[move.source, move.target] for move in step.moves],
        "line": list(step.line),
        "tap_twice": bool(step.tap_twice),
        "partial": step.partial,
    }


def _question(table: Table) -> dict[str, Any] | None:
    if not table.watch.asking or table.phase != "resolving" or table.held:
        return None
    choices = [one.step for one in table.watch.verdict.choices]
    return {
        "text": say("How does it lie? The sensors can't tell.")
        if all(step.partial for step in choices)
        else say("The sensors can't tell what was done. Which of these was it?"),
        "seat": table.actor,
        "choices": [{"action": step.action, "words": step.words} for step in choices],
    }


def _suspects(table: Table) -> list[dict[str, str]]:
    """Return the nodes whose sensor may be stuck, in words: only people can tell."""
    seen = table.watch.tracker.seen

    def words(node: str) -> str:
        shown = noun(table.game, [node]).a if seen[node] else say("nothing")
        form = _SUSPECT_ON_CHANNEL if node in table.channels else _SUSPECT
        return fill(form, node=node, shown=shown, channel=table.channels.get(node))

    return [
        {"node": node, "words": words(node)}
        for node in table.watch.suspects
        if table.phase not in {"lobby", "over"} and table.paused is None and not table.held
    ]


_SUSPECT = say("The sensor of {node} shows {shown}. If that is wrong, it is stuck: play on without it.")
_SUSPECT_ON_CHANNEL = say(
    "The sensor of {node} (channel {channel}) shows {shown}. If that is wrong, it is stuck: play on without it."
)


def _problem(table: Table) -> dict[str, Any] | None:
    problem = table.watch.problem
    if problem is None or table.phase == "over" or table.held:
        return None
    return {"text": problem_text(table, problem), "nodes": list(problem.nodes), "since": round(problem.since, 3)}


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
        return say("Whether the stones can come to rest is not known yet.")
    if known.rest_reachable:
        return say("The stones can come to rest.")
    return say("The stones can't come to rest any more: this ends in a loop.")


def _decided(table: Table) -> dict[str, Any] | None:
    found = decision(table)
    return {"winner": found.winner, "words": found.words} if found else None


def _proposal(table: Table) -> dict[str, Any] | None:
    proposal = table.proposal
    if proposal is None:
        return None
    return {
        "what": proposal.what,
        "words": say("{name} proposes {proposal}.", name=table.ledger.name(proposal.by), proposal=proposal.words),
        "by": proposal.by,
        "about": proposal.about,
        "agreed": sorted(proposal.agreed),
        "waiting": list(proposal.waiting(table)),
    }


def _may_propose(table: Table, what: str) -> bool:
    playing = table.phase not in {"lobby", "over"} and not table.held
    return playing and table.proposal is None and can_propose(table, what) is None


def _cannot(table: Table) -> dict[str, str]:
    """Return why the game as it stands does not let this be proposed, nor the host do it."""
    if table.phase in {"lobby", "over"}:
        return {}
    found = {what: can_propose(table, what) for what in WORDS}
    return {what: why for what, why in found.items() if why is not None}


def _seal(table: Table) -> dict[str, Any] | None:
    sealing = table.ledger.round
    if sealing is None or table.phase not in {"sealing", "revealing"}:
        return None
    position = table.ledger.now.position
    actions = table.game.actions(position)
    offered = actions.get(sealing.seats[0], ()) if sealing.seats else ()
    moves = [move for action in offered for _, move in table.game.placements(position, {sealing.seats[0]: action})]
    nodes = {move.target for move in moves if move.target}
    colours = {piece for move in moves for piece in move.pieces}
    return {
        "tag": TAG,
        "game": sealing.game,
        "turn": sealing.turn,
        "history": sealing.history,
        "open": may_open(table),
        "awake": awake(table) if sealing.sealed else [],
        "nodes": sorted(nodes, key=list(table.game.layout().nodes).index),
        "colours": sorted(colours, reverse=True),
        "closed": _closed(table, nodes),
        "spent": _spent(table, nodes, colours),
        "commitments": {str(seat): digest for seat, digest in sealing.commitments.items()},
    }


def _closed(table: Table, open_nodes: Collection[str | None]) -> dict[str, str]:
    """Return why no stone can be placed on the other nodes. Phones need not ask: nobody learns what a finger shows."""
    others = (node for node in table.game.layout().nodes if node not in open_nodes)
    found = {node: why_not(table, Attempt(None, node)) for node in others}
    return {node: why for node, why in found.items() if why is not None}


def _spent(table: Table, nodes: Collection[str | None], colours: Collection[str]) -> dict[str, str]:
    """Return why the other pieces can't be placed, wherever that is."""
    node = next(iter(nodes), None)
    if node is None:
        return {}
    found = {piece: why_not(table, Attempt(None, node, piece)) for piece in table.game.pieces if piece not in colours}
    return {piece: why for piece, why in found.items() if why is not None}


def _deal(table: Table) -> dict[str, Any] | None:
    """Return the seal of the deal: in the lobby of what is going to be dealt, then of what was."""
    ledger = table.ledger
    if ledger.started or not is_dealt(table.game):
        seal = ledger.deal
    else:
        position = table.game.text(starting(table.game, ledger.mode, {SEED: table.seed}))
        seal = deal_seal(ledger.game_id, table.seed, position)
    return None if seal is None else {"commitment": seal, "short": shown_short(seal)}


def _lines(table: Table) -> list[dict[str, Any]]:
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


def _result(table: Table) -> dict[str, Any] | None:
    ledger = table.ledger
    if not ledger.over:
        return None
    status = ledger.now.status
    return {
        "reason": status.reason,
        "words": table.game.endings.get(status.reason or "", say("The game is over.")),
        "winners": list(status.winners),
        "lines": _lines(table),
    }

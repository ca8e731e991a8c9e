"""The present state of the game, in one sentence for everybody."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.offers import offers_of
from firmware_host.games.remembered import remembered
from firmware_host.table.hypotheses import Done
from firmware_host.table.queries import guide
from firmware_host.table.queries.pieces import a_piece, how_it_works, nothing_belongs, noun, the_pieces
from firmware_host.table.queries.reasons import rule_broken
from firmware_host.table.queries.seals import may_open, opened, ready_phones
from firmware_host.table.queries.stages import leads_to, staged_words
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import TableState
from firmware_host.table.watch import Problem
from firmware_host.text.words import capital, fill, joined, listed, one_of, say, say_many

MOST_TARGETS = 8
"""Maximum number of nodes named in one sentence."""


def message(table: TableState) -> str:
    """Return one sentence about the present state, for everybody."""
    if table.paused is not None:
        return say("Play is paused: {reason}", reason=table.paused)
    problem, phase = table.watch.problem, table.phase
    usual = _MESSAGES[phase]
    if problem is None or phase in {"lobby", "setup", "over"}:
        return _taught(table) or usual(table)
    mend = problem_text(table, problem)
    sealing = phase in {"sealing", "revealing"}
    return say("{first} {then}", first=mend, then=usual(table)) if sealing else mend


def _taught(table: TableState) -> str | None:
    """Return the sentence of a lesson while nothing else is urgent; None at any other table."""
    lesson, verdict = table.lesson, table.watch.verdict
    if lesson is None or table.phase not in {"sealing", "resolving", "over"}:
        return None
    if table.phase == "resolving" and (verdict.lifted or table.watch.asking or table.wanted):
        return None
    return lesson["said"] if lesson["done"] and lesson["said"] else lesson["words"]


def reminder(table: TableState) -> str | None:
    """Return what players have to check themselves while pieces are put down: colours that no sensor sees."""
    if table.paused is not None or not _unseen_colours(table):
        return None
    return say("The sensors here don't see colours: check them yourselves.")


def _unseen_colours(table: TableState) -> bool:
    """Return whether pieces are to be put down whose colours the sensors can't distinguish."""
    model, problem = table.watch.tracker.model, table.watch.problem
    if table.phase not in {"placing", "setup"}:
        return False
    if table.phase == "placing":
        put = {(move.target, piece) for _, move in table.watch.missing_pieces() for piece in move.pieces}
    else:
        first = problem.fixes[:1] if problem else ()  # A lesson may find pieces of another one on the board.
        put = {(fix.target, piece) for fix in first if fix.source is None or table.lesson for piece in fix.pieces}
    like = [piece for piece in table.game.pieces if piece not in model.tiles]
    return any(
        not model.tells(node or "", (one,), (other,))
        for node, one in put
        if one in like
        for other in like
        if other != one
    )


def problem_text(table: TableState, problem: Problem) -> str:
    """Return the problem on the board as a sentence that starts with what to do first."""
    if problem.kind == "held":
        return _held_long(table, problem.nodes[0])
    lit = {node: lamp for node, lamp in guide.lamps(table).items() if lamp.meaning in _MENDING}
    words = _listed_once(table, lit)
    first = words[0] if words else say("check {nodes}", nodes=", ".join(problem.nodes))
    if problem.kind == "repair":
        return _repair_text(table, problem, first)
    missing = [node for node in problem.nodes if table.watch.tracker.seen[node] == NOTHING]
    if len(missing) == len(problem.nodes):
        fixed = say("{piece} can't be moved now", piece=noun(table.game, missing).subject)
        return _ruled(rule_broken(table, missing[0]) or fixed, joined(words, "; "))
    why, lifted = joined(words, "; "), table.watch.verdict.lifted
    if missing or not table.layout.wells.isdisjoint(problem.nodes):  # For a tile, say how it works.
        return say("{words}.", words=capital(why))
    if len(lifted) == 1:
        return _ruled(why, say("put it on a lit node, or back on {node}", node=lifted[0]))
    return _ruled(why, say("take it off again"))


def _listed_once(table: TableState, lit: Mapping[str, guide.Lamp]) -> list[str]:
    """Return the sentences about some nodes; nodes with the same trouble share one."""
    back = [node for node, lamp in lit.items() if lamp.meaning == "return"]
    none = [node for node, lamp in lit.items() if lamp.words == nothing_belongs(table.game, [node])]
    words = list(dict.fromkeys(lamp.words for node, lamp in lit.items() if node not in {*back, *none}))
    if none:
        words.insert(0, nothing_belongs(table.game, none))
    if len(back) > 1:
        return [*words, say("put {pieces} back", pieces=the_pieces(table.game, back))]
    return [*words, *(lit[node].words for node in back)]


def _ruled(why: str, do: str) -> str:
    """Return the broken rule and what to do, in words."""
    return say("{why}. {do}.", why=capital(why), do=capital(do))


def _repair_text(table: TableState, problem: Problem, first: str) -> str:
    """Return what to mend first; if that is all and a rule explains the fault, with that rule."""
    setup, more = table.phase == "setup", len(problem.fixes) - 1
    if more > 0:
        start = say("Set the board up: {first} ({more} more to follow).") if setup else _DIFFERS_MORE
        return fill(start, first=first, more=more)
    why = None
    if len(problem.nodes) == 1 and not any(fix.is_turn for fix in problem.fixes):
        why = rule_broken(table, problem.nodes[0])
    if why is not None:
        return _ruled(why, first)
    return fill(say("Set the board up: {first}.") if setup else _DIFFERS, first=first)


_DIFFERS = say("The board differs from the game: {first}.")
_DIFFERS_MORE = say("The board differs from the game: {first} ({more} more to follow).")


_MENDING = frozenset({"wrong", "return", "remove"})


def _names(table: TableState, seats: list[int]) -> str:
    return listed(table.ledger.name(seat) for seat in seats)


def _lobby(table: TableState) -> str:
    waiting = [seat for seat in table.ledger.all_seats if seat not in table.ledger.sittings]
    if waiting:
        return say_many("Waiting for {count} more player.", "Waiting for {count} more players.", len(waiting))
    return say("All seats are taken. The host starts the game.")


def _setup(table: TableState) -> str:
    problem = table.watch.problem
    return problem_text(table, problem) if problem else say("The board is being checked.")


def _sealing(table: TableState) -> str:
    waiting = _yet_to_seal(table)
    return say(
        "Turn {turn}: choose and seal a placement. Waiting for {names}.",
        turn=_turn(table),
        names=_names(table, waiting),
    )


def _yet_to_seal(table: TableState) -> list[int]:
    sealing = table.ledger.round
    return [seat for seat in sealing.seats if seat not in sealing.commitments] if sealing else []


def _waited_for(table: TableState) -> list[int]:
    """Return the seats whose phones still have to wake up or, once all are awake, to open."""
    sealing, done = table.ledger.round, opened(table) if may_open(table) else ready_phones(table)
    return [seat for seat in sealing.seats if seat not in done] if sealing else []


def _revealing(table: TableState) -> str:
    waiting = _waited_for(table)
    if not may_open(table):
        return say_many(
            "All have sealed. Waiting for the phone of {names} to wake up.",
            "All have sealed. Waiting for the phones of {names} to wake up.",
            len(waiting),
            names=_names(table, waiting),
        )
    return say_many(
        "All have sealed. Waiting for the phone of {names} to open its seal.",
        "All have sealed. Waiting for the phones of {names} to open their seals.",
        len(waiting),
        names=_names(table, waiting),
    )


def own_messages(table: TableState) -> dict[int, str]:
    """Return seat → the sentence for its own phone, if the one for everybody would name its reader."""
    if table.paused is not None or table.held or table.lesson is not None:
        return {}
    if table.phase == "sealing":
        waiting = _yet_to_seal(table)
        last = _OWN_LAST_SEAL if len(waiting) == 1 else _OWN_SEAL
        return {seat: fill(last, turn=_turn(table)) for seat in waiting}
    if table.phase == "revealing":
        return dict.fromkeys(_waited_for(table), _OWN_OPENING)
    return {}


_OWN_SEAL = say("Turn {turn}: choose and seal your placement.")
_OWN_LAST_SEAL = say("Turn {turn}: choose and seal your placement. All others have sealed.")
_OWN_OPENING = say("All have sealed. The phones open their seals.")


def _placing(table: TableState) -> str:
    todo = [
        say("{name} {piece} on {node}", name=table.ledger.name(seat), piece=table.game.pieces[piece], node=move.target)
        for seat, move in table.watch.missing_pieces()
        for piece in move.pieces
    ]
    stacks = table.watch.untapped_stacks()
    if todo:
        put = say("Put the stones down where the lights pulse: {stones}.", stones=joined(todo))
        then = say("{put} Then tap {nodes}: no sensor shows how many stones lie there.", put=put, nodes=listed(stacks))
        return then if stacks else put
    if stacks:
        return say("Tap {nodes}, or say on a phone that all stones lie there.", nodes=listed(stacks))
    return say("All stones are on the board.")


def _resolving(table: TableState) -> str:
    name = table.ledger.name(table.actor or 0)
    if table.watch.asking:
        return say("{name}: {words}.", name=name, words=_asking(table))
    verdict = table.watch.verdict
    if verdict.left and not verdict.lifted and not table.is_led(table.actor):
        return _going_on(table, name)
    if verdict.lifted and verdict.live:
        return _holding(table, name)
    if table.is_led(table.actor):
        return _computing(table, name)
    if verdict.kind == "settling" and verdict.live and not verdict.done.undo:
        return say("{name}: {words}.", name=name, words=verdict.live[0].words)
    return _staged(table, name) if table.done_stages else _choosing(table, name)


def _going_on(table: TableState, name: str) -> str:
    """Return what remains of an action whose first part lies: a piece to take off, or to put after that."""
    game, tracker, left = table.game, table.watch.tracker, table.watch.verdict.left
    takes = list(dict.fromkeys(move.source for move in left if move.source and move.target is None))
    if len(takes) == 1:
        piece = noun(game, takes).the
        return say("{name}: take {piece} on {node} off the board.", name=name, piece=piece, node=takes[0])
    if takes:
        nodes = one_of(takes) if len(takes) <= MOST_TARGETS else say("any of the lit nodes")
        return say("{name}: take one of the lit pieces off the board: {nodes}.", name=name, nodes=nodes)
    taken = [node for node in tracker.differing if tracker.seen[node] == NOTHING]
    then = _prompt(game, table.ledger.now.position)
    puts = list(dict.fromkeys(move.target for move in left if move.source is None and move.target))
    if puts and len(puts) <= MOST_TARGETS:
        then = say("put {piece} on {node}", piece=a_piece(game, left[0].pieces[0]), node=one_of(puts))
    return say("{name} has taken {pieces} off the board: {then}.", name=name, pieces=the_pieces(game, taken), then=then)


def _staged(table: TableState, name: str) -> str:
    """Return what goes on once a stage lies; where another one was chosen, what has to be done first."""
    fixes = guide.next_fixes(table)
    if fixes:
        return say("{name}: {words}.", name=name, words=joined(dict.fromkeys(guide.fix_words(table, fixes[0])), "; "))
    words = staged_words(table)
    return say("{name}: {words}. Go on with what is lit, or take the tile back.", name=name, words=words)


def _choosing(table: TableState, name: str) -> str:
    """Name the step that was chosen on a phone, or what can be chosen."""
    hidden: Collection[str] = guide.traceless(table)
    led = next((step for step in table.watch.tracker.steps if leads_to(step, table.wanted)), None)
    if led is None:
        prompt = say("{name}: {prompt}.", name=name, prompt=_prompt(table.game, table.ledger.now.position))
    else:
        prompt = say("{name}: {step}. The lights show the way.", name=name, step=led.words)
        hidden = [node for node in hidden if node in led.touches]
    if hidden:
        nodes = one_of(hidden) if len(hidden) <= MOST_TARGETS else say("the node")
        prompt = fill(_UNSEEN, prompt=prompt, nodes=nodes)
    return say("{first}. {then}", first=capital(table.tidying), then=prompt) if table.tidying else prompt


@remembered(8)
def _prompt(game: Game[Any], position: Any) -> str:
    """Return a game's sentence about a position: slow, as it may go through all legal actions."""
    return game.prompt(position)


_UNSEEN = say("{prompt} No sensor shows a stone that goes onto another one here: tap {nodes} twice then.")


def _computing(table: TableState, name: str) -> str:
    step = next((s for s in table.watch.tracker.steps if leads_to(s, table.wanted)), None)
    if table.is_late(table.actor):
        drawn = step.words if step else say("put the board right first")
        return say("{name}'s time is up. Drawn by lot: {step}.", name=name, step=drawn)
    who = name if name.startswith("Computer ") else say("{name} (computer)", name=name)
    if step is None:
        return say("{name} is thinking.", name=who)
    return say("{name}: {step}. The lights show the way.", name=who, step=step.words)


def _asking(table: TableState) -> str:
    choices, tracker = [one.step for one in table.watch.verdict.choices], table.watch.tracker
    if all(step.partial for step in choices):
        if tracker.differing:
            return say("say on the phone how it lies")
        wells = one_of(dict.fromkeys(move.target for step in choices for move in step.moves if move.target))
        return say("say on the phone how the new tile lies in {wells}, or lay it somewhere else", wells=wells)
    hidden = [one.step for one in table.watch.verdict.choices if one.stacks and tracker.is_hidden(one.step)]
    stacks = list(dict.fromkeys(node for one in table.watch.verdict.choices for node in one.stacks))
    if not hidden or offers_of(table.game).tiles:
        return say("say on the phone what was done")
    ends = any(tracker.evidence.ends(Done((step.action,))) for step in hidden)
    if len(choices) > 1:
        return fill(_TAP_ONE_TWICE if ends else _TAP_ONE, nodes=one_of(stacks))
    return fill(_TAP_TWICE if ends else _TAP, node=stacks[0])


_TAP = say("if the stone lies on {node} now, tap that stack, or say so on the phone")
_TAP_TWICE = say("if the stone lies on {node} now, tap that stack twice, or say so on the phone")
_TAP_ONE = say("tap the stack on which the stone lies now ({nodes}), or say on the phone what was done")
_TAP_ONE_TWICE = say("tap the stack on which the stone lies now ({nodes}) twice, or say on the phone what was done")


def _holding(table: TableState, name: str) -> str:
    """Return where a lifted piece may go, in words; a tile that others may cover goes off the board."""
    game, verdict = table.game, table.watch.verdict
    held = the_pieces(game, verdict.lifted)
    if all(step.partial for step in verdict.live):
        works = [how_it_works(game, verdict.live, well, lying=False) for well in verdict.lifted]
        return say("{name} has taken out {pieces}: {works}.", name=name, pieces=held, works=joined(works, "; "))
    targets = _goals(table)
    if len(verdict.lifted) > 1:
        free = [node for node in targets if node not in verdict.lifted]
        return fill(_HOLDS_MORE if free else _HOLDS_TOO_MANY, name=name, pieces=held, targets=_nodes(free))
    rounds = [node for node in verdict.lifted for step in verdict.live if node in step.tap_twice and node in targets]
    holds = _HOLDS_ROUND if rounds else _HOLDS
    return fill(holds, name=name, piece=held, targets=_nodes(targets))


def _goals(table: TableState) -> list[str]:
    """Return where the lifted pieces may go by the steps under way."""
    verdict = table.watch.verdict
    moves = [move for step in verdict.live for move in step.moves if move.target]
    own = [move for move in moves if move.source in verdict.lifted] or moves
    return list(dict.fromkeys(move.target for move in own if move.target))


def _nodes(nodes: Collection[str]) -> str:
    return ", ".join(nodes) if len(nodes) <= MOST_TARGETS else say("any of the lit nodes")


def _held_long(table: TableState, node: str) -> str:
    """Return what may be done with a piece that has been in the hand for a while: it may go on, or back."""
    piece = the_pieces(table.game, [node])
    if table.phase == "clearing":
        return say("{words}.", words=capital(fill(_TAKING_BACK, pieces=piece)))
    goals = [goal for goal in _goals(table) if goal != node]
    if table.phase != "resolving" or not goals:
        return say("Put {piece} back on {node}.", piece=noun(table.game, [node]).the, node=node)
    return fill(_HOLDS_LONG, name=table.ledger.name(table.actor or 0), piece=piece, targets=_nodes(goals), node=node)


_HOLDS = say("{name} holds {piece}: it may go to {targets}.")
_HOLDS_LONG = say("{name} holds {piece}: it may go to {targets}, or back on {node}.")
_HOLDS_MORE = say("{name} holds {pieces}: they may go to {targets}.")
_HOLDS_TOO_MANY = say("{name} holds {pieces}: put one of them back first.")
_HOLDS_ROUND = say("{name} holds {piece}: it may go to {targets}, or round the loop: tap its old place twice for that.")


_TAKING_BACK = say("put {pieces} back, or go on and take back the last action")


def _clearing(table: TableState) -> str:
    lifted = table.watch.taken_back()
    if lifted:
        return say("{words}.", words=capital(fill(_TAKING_BACK, pieces=the_pieces(table.game, lifted))))
    removal, nodes = table.game.removal, guide.surplus(table)
    if removal is None or not nodes:
        return say("Take the lit stones off the board.")
    first = capital(fill(removal.node, node=nodes[0]))
    if len(nodes) == 1:
        return say("{why} {first}.", why=removal.message, first=first)
    return say("{why} {first} ({more} more to follow).", why=removal.message, first=first, more=len(nodes) - 1)


def _over(table: TableState) -> str:
    status = table.ledger.now.status
    won = _names(table, list(status.winners))
    if not won:
        return say("A draw.")
    return say_many(
        "The game is over: {names} has won.", "The game is over: {names} have won.", len(status.winners), names=won
    )


def _turn(table: TableState) -> int:
    return table.game.turn(table.ledger.now.position)


_MESSAGES: Mapping[str, Callable[[TableState], str]] = {
    "lobby": _lobby,
    "setup": _setup,
    "sealing": _sealing,
    "revealing": _revealing,
    "placing": _placing,
    "resolving": _resolving,
    "clearing": _clearing,
    "over": _over,
}

"""Checks, along random games, of all that the table expects of a game: ``check_game(GAME, Random(1))`` in a test.

The actions that :class:`firmware_host.games.game.Game` lists are the measure. A game may have its rules a second time,
in a quicker form, for its search (``think``), its random games (``playout``) and its counts (``perft``). Whatever of
these it has is held against the measure in every phase that the random game comes through: no win is missing, no action
more or less is counted, and a random game ends with a winner and an ending that are the game's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from random import Random
from typing import Any, TypeVar

from firmware_host.games.capabilities import Attempt, HasReasons, HasStages, RulesPicture, how_to_play_of
from firmware_host.games.game import (
    BadAction,
    BadPosition,
    Game,
    GameError,
    GameOver,
    Occupancy,
    Status,
    Step,
    Transition,
)
from firmware_host.games.lessons import LessonError, load
from firmware_host.games.plain import after_moves
from firmware_host.games.thinking import LEVELS, Budget, ComputerPlayer, Thought

P = TypeVar("P", bound=Hashable)

LONGEST = 2000
"""Maximum number of actions of a random game, as some games may never end."""
THINKS_EVERY = 10
"""Interval, in positions, of the checks of a game's search; the last position before the end is checked as well."""
FEW_NODES = 200
PLAYOUTS = 3
"""Random games that are looked at."""
COUNTED = 2000
"""Maximum number of sequences of two actions that are counted one by one."""


class ContractBroken(AssertionError):
    """A game breaks its contract; the message names the member and the position."""


def check_game(game: Game[P], rng: Random, mode: str | None = None, most: int = LONGEST) -> int:
    """Play one random game of a mode (None: the first), check every position, and return the number of actions.

    Raise Broken for the first violation of the contract.
    """
    mode = mode or game.modes[0]
    _check_layout(game, mode)
    _check_how_to_play(game)
    _check_lessons(game)
    position, made, round_before = game.start(mode), 0, 0
    before = position
    while not game.status(position).over and made < most:
        _check_position(game, position, mode)
        won = False
        if game.simultaneous(position):
            _require(
                game.turn(position) > round_before,
                "turn",
                "it differs for each simultaneous round",
                game.text(position),
            )
            round_before = game.turn(position)
        else:
            won = _check_steps(game, position)
            _check_reasons(game, position)
        if made % THINKS_EVERY == 0:
            check_player(game, position)
            _check_perft(game, position)
        elif won:
            _check_takes_win(game, position)
        chosen = {seat: game.random_action(position, seat, rng) for seat in game.actions(position)}
        transition = game.apply(position, chosen)
        _check_transition(game, position, transition)
        before, position, made = position, transition.position, made + 1
    _check_position(game, position, mode)
    if game.status(position).over:
        _check_end(game, position, mode)
        if made:
            check_player(game, before)
            _check_perft(game, before)
            _check_playouts(game, before, rng)
    return made


def check_player(game: Game[P], position: P) -> None:
    """Check the search of a game that has one, in a position that is not over, with few nodes. Raise Broken."""
    if not isinstance(game, ComputerPlayer):
        return
    text, offered = game.text(position), game.actions(position)
    count = len(game.strengths)
    _require(1 <= count <= LEVELS, "strengths", f"there are 1 to {LEVELS}, not {count}")
    _require(all(one.budget.nodes > 0 and one.spread >= 0 for one in game.strengths), "strengths", "they look at nodes")
    for seat, actions in offered.items():
        thought = game.think(position, seat, Budget(FEW_NODES), Random(1))
        _check_thought(thought, actions, text)
        _check_lines(game, position, seat, thought)
        again = game.think(position, seat, Budget(FEW_NODES), Random(1))
        _require(thought == again, "think", "the same arguments give the same thought", text)
    _check_takes_win(game, position)
    resting = next((seat for seat in game.seats(position.mode) if seat not in offered), None)  # type: ignore[attr-defined]
    if resting is not None:
        _require_refusal(
            lambda: game.think(position, resting, Budget(1), Random(1)), BadAction, "think", "only actors think"
        )


def _check_thought(thought: Thought, actions: Sequence[str], where: str) -> None:
    choices = thought.choices
    taken = [choice.action for choice in choices]
    _require(0 < len(taken) == len(set(taken)), "think", "there are choices, each once", where)
    _require(set(taken) <= set(actions), "think", "its choices are legal", where)
    _require(all(0.0 <= one.value <= 1.0 for one in choices), "think", "values are from 0 to 1", where)
    shares = [choice.share for choice in choices]
    _require(min(shares) >= 0.0 and sum(shares) < 1 + 1e-6, "think", "shares are a part of the whole", where)
    _require(
        any(shares) or choices[0].value == max(one.value for one in choices), "think", "the best comes first", where
    )
    _require(
        all(one.endswith((".", "!", "?")) for choice in choices for one in choice.reasons),
        "think",
        "reasons are sentences",
        where,
    )
    _require(thought.nodes >= 0, "think", "nodes are counted", where)


def _check_lines(game: Game[P], position: P, seat: int, thought: Thought) -> None:
    """Check that lines begin with an action that is legal after the choice, unless all act at once."""
    if game.simultaneous(position):
        return
    for choice in thought.choices:
        if choice.line:
            offered = game.actions(game.apply(position, {seat: choice.action}).position)
            _require(
                any(choice.line[0] in actions for actions in offered.values()),
                "think",
                f"the line of {choice.action} begins with an action after it, not with {choice.line[0]}",
                game.text(position),
            )


def _check_takes_win(game: Game[P], position: P) -> None:
    """Check that an action that wins at once comes first, for any budget, unless actions are simultaneous."""
    offered = game.actions(position)
    if len(offered) != 1 or not isinstance(game, ComputerPlayer):
        return
    (seat,) = offered
    thought = game.think(position, seat, Budget(1), Random(1))

    def wins(action: str) -> bool:
        return seat in game.apply(position, {seat: action}).status.winners

    if not wins(thought.choices[0].action):
        missed = next(filter(wins, game.actions(position)[seat]), None)
        _require(missed is None, "think", f"it takes a win in one action ({missed})", game.text(position))


def _check_perft(game: Game[P], position: P) -> None:
    """Check that a game that counts sequences of actions counts those that it lists."""
    count: Callable[[P, int, Callable[[], bool]], int] | None = getattr(game, "perft", None)
    if count is None:
        return
    for depth in (0, 1, 2):
        number = 0
        for listed in _count_sequences(game, position, depth):
            number += listed
            if number > COUNTED:
                return
        counted = count(position, depth, lambda: False)
        if counted != number:
            where = _last_alike(game, position, depth, lambda after, depth: count(after, depth, lambda: False))
            _require(False, "perft", f"{number} sequences of {depth} actions, not {counted}", where)


def _last_alike(game: Game[P], position: P, depth: int, count: Callable[[P, int], int]) -> str:
    """Return the text of the position, from this one on, whose own actions are counted otherwise than listed.

    As with chess programs' ``divide``: a position's count is the sum of those after each of its actions.
    """
    for after in _positions_after(game, position) if depth > 1 else ():
        if count(after, depth - 1) != sum(_count_sequences(game, after, depth - 1)):
            return _last_alike(game, after, depth - 1, count)
    return game.text(position)


def _count_sequences(game: Game[P], position: P, depth: int) -> Iterator[int]:
    """Yield the number of sequences, in parts; the actions of a simultaneous round are one."""
    offered = game.actions(position)
    if depth == 0 or not offered:
        yield 1
        return
    if depth == 1:
        yield from (1 for _ in itertools.product(*offered.values()))
        return
    for after in _positions_after(game, position):
        yield sum(_count_sequences(game, after, depth - 1))


def _positions_after(game: Game[P], position: P) -> Iterator[P]:
    offered = game.actions(position)
    for chosen in itertools.product(*offered.values()):
        yield game.apply(position, dict(zip(offered, chosen, strict=True))).position


def _check_playouts(game: Game[P], position: P, rng: Random) -> None:
    """Check the random games of a game that has a form of its own for them, from a position just before the end.

    Where a single action is left, its end is known; everywhere the endings and winners are the game's own.
    """
    playout: Callable[[P, Random], Status] | None = getattr(game, "playout", None)
    if playout is None:
        return
    text, offered = game.text(position), game.actions(position)
    seats: Any = set(game.seats(position.mode))  # type: ignore[attr-defined]
    expected: set[Status] | None = None
    if len(offered) == 1:
        ((seat, actions),) = offered.items()
        expected = {game.apply(position, {seat: action}).status for action in actions}
    for _ in range(PLAYOUTS):
        status = playout(position, rng)
        _require(status.over and set(status.winners) <= seats, "playout", "it ends, and winners are seats", text)
        _require(status.reason in game.endings, "playout", f"endings say what {status.reason!r} means", text)
        if expected is not None and all(one.over for one in expected):
            _require(status in expected, "playout", f"it ends as an action does, not with {status}", text)


def _require(kept: bool, member: str, promise: str, where: str = "") -> None:
    if not kept:
        raise ContractBroken(f"{member}: {promise}{f', in {where}' if where else ''}")


def _check_layout(game: Game[P], mode: str) -> None:
    layout = game.layout()
    nodes = set(layout.nodes)
    _require(all(set(line) <= nodes and line[0] != line[1] for line in layout.lines), "layout", "lines join two nodes")
    _require(
        len({frozenset(line) for line in layout.lines}) == len(layout.lines), "layout", "each line stands there once"
    )
    _require(layout.placeable <= nodes, "layout", "placeable nodes are nodes")
    _require(len(set(layout.nodes.values())) == len(nodes), "layout", "no two nodes lie on one place")
    _require(set(game.poles) == set(game.pieces), "poles", "there is one for each of pieces")
    _require(set(game.poles.values()) <= {"N", "S"}, "poles", "each is N or S")
    seats = game.seats(mode)
    _require(seats == tuple(range(1, len(seats) + 1)), "seats", "they count from 1")
    _require(sorted(seat for team in game.teams(mode) for seat in team) == list(seats), "teams", "each seat is in one")
    _require(all(set(game.homes(mode, seat)) <= nodes for seat in seats), "homes", "they are nodes")
    _require("resigned" in game.endings, "endings", "they say what resigning is")
    for refused, what in ((lambda: game.seats("no such mode"), "seats"), (lambda: game.start("no such mode"), "start")):
        _require_refusal(refused, GameError, what, "an unknown mode is refused")
    for text in ("", " ", "nonsense", game.text(game.start(mode)) + " more"):
        _require_refusal(lambda text=text: game.parse(text), BadPosition, "parse", f"{text!r} is refused")


def _check_how_to_play(game: Game[P]) -> None:
    """Check that the pictures of a game's rules show legal positions and actions."""
    sheet = how_to_play_of(game)
    if sheet is None:
        _require(not hasattr(game, "how_to_play"), "how_to_play", "it is a HowToPlay")
        return
    _require(bool(sheet.aim) and "\n" not in sheet.aim, "how_to_play", "the aim is one line")
    least, most = sheet.minutes or (1, 1)
    _require(0 < least <= most, "how_to_play", "minutes are from and to")
    _require(all(sheet.terms) and all(sheet.terms.values()), "how_to_play", "each term is explained")
    for picture in sheet.pictures:
        _require(bool(picture.words), "how_to_play", "each picture has words", picture.position)
        _check_picture(game, picture)
    if sheet.cover is not None:
        _check_picture(game, sheet.cover)


def _check_lessons(game: Game[P]) -> None:
    """Check that a game's lessons can be read, and have an answer to every legal action."""
    try:
        load(game)
    except LessonError as error:
        _require(False, "lessons", f"they can be used: {error}")


def _check_picture(game: Game[P], picture: RulesPicture) -> None:
    position, where = game.parse(picture.position), picture.position
    nodes = set((picture.layout or game.layout()).nodes)
    over, offered = game.status(position).over, game.actions(position)
    _require(over or bool(offered), "how_to_play", "somebody acts in a position that is not over", where)
    _require(set(game.occupancy(position)) | set(picture.lit) <= nodes, "how_to_play", "lights lie on nodes", where)
    if picture.action is not None:
        legal = any(picture.action in actions for actions in offered.values())
        _require(legal, "how_to_play", f"{picture.action} is legal", where)


def _require_refusal(call: object, error: type[GameError], member: str, promise: str) -> None:
    try:
        call()  # type: ignore[operator]
    except error:
        return
    raise ContractBroken(f"{member}: {promise} with {error.__name__}")


def _check_position(game: Game[P], position: P, mode: str) -> None:
    text, over = game.text(position), game.status(position).over
    _require(getattr(position, "mode", None) == mode, "position", f"its mode is {mode}", text)
    _require(text.isascii() and "\n" not in text and text == " ".join(text.split()), "text", "one ASCII line", text)
    again = game.parse(text)
    _require(game.text(again) == text, "parse", "the text of what a text stands for is that text", text)
    _require(game.actions(again) == game.actions(position), "parse", "the same actions are legal", text)
    offered = game.actions(position)
    _require(
        bool(offered) != over and all(offered.values()),
        "actions",
        "there are some until the game is over, and none then",
        text,
    )
    _require(set(offered) <= set(game.seats(mode)), "actions", "those who act are seats of the mode", text)
    _require((game.actor(position) is None) == over, "actor", "somebody acts until the game is over", text)
    if offered and not game.simultaneous(position):
        _require(list(offered) == [game.actor(position)], "actions", "they are those of the actor", text)
    for seat, actions in offered.items():
        _require(list(actions) == sorted(set(actions)), "actions", "they are sorted, each once", text)
        _require(all(a.isascii() and a and " " not in a for a in actions), "actions", "ASCII words", text)
        _require(all(game.words(action) for action in actions), "words", "each action has some", text)
        for action in actions:
            game.check(position, seat, action)
        _require_refusal(
            lambda s=seat: game.check(position, s, "no such action"), BadAction, "check", "nonsense is refused"
        )
    _require(game.turn(position) >= 1, "turn", "it counts from 1", text)
    _require(over or bool(game.prompt(position)), "prompt", "it says what to do", text)
    _require(set(game.plays(position).values()) <= set(game.pieces), "plays", "they are pieces", text)
    for node, stack in game.occupancy(position).items():
        _require(node in game.layout().nodes, "occupancy", f"{node} is a node", text)
        _require(bool(stack) and set(stack) <= set(game.pieces), "occupancy", f"pieces lie on {node}", text)


def _check_steps(game: Game[P], position: P) -> bool:
    """Check the hands' work for each action; return whether one of them wins at once."""
    won = False
    text, now, nodes = game.text(position), game.occupancy(position), game.layout().nodes
    (seat, offered), *_ = game.actions(position).items()
    steps = game.steps(position)
    _require([step.action for step in steps] == list(offered), "steps", "one for each action, in their order", text)
    ways: dict[object, tuple[str, P]] = {}
    for step in steps:
        where = f"{text}, {step.action}"
        own = {node for move in step.moves for node in (move.source, move.target) if node is not None}
        _require(
            own <= step.touches <= set(nodes), "steps", "touches are nodes, and those of the moves among them", where
        )
        filled: int | None = getattr(game, "max_filled", None)
        _require(
            filled is None or len(step.touches - now.keys()) <= filled, "max_filled", "steps touch no more empty", where
        )
        _require(all(move.pieces and (move.source or move.target) for move in step.moves), "steps", "moves move", where)
        after = _sort_stacks(step.after)
        _require(
            _occupancy_by_hands(now, step) == after, "steps", "hands that make the moves leave what after says", where
        )
        transition = game.apply(position, {seat: step.action})
        cleared = [node for node in step.after if node not in transition.placed]
        hint = f" (no hand clears {', '.join(cleared)}: set removal, or list it in moves)" if cleared else ""
        _require(dict(transition.placed) == dict(step.after), "apply", f"placed is the step's after{hint}", where)
        _require(step.removed <= set(transition.removed), "steps", "apply removes what removed says", where)
        if step.moves:
            other, led = ways.setdefault(tuple(sorted(after.items())), (step.action, transition.position))
            _require(led == transition.position, "steps", f"it leaves on the board what {other} leaves", where)
        won = won or seat in transition.status.winners
    return won


def _check_reasons(game: Game[P], position: P) -> None:
    """Check that a game that explains impossible attempts has no objection to possible ones."""
    if not isinstance(game, HasReasons):
        return
    steps = game.stage(position, ()) if isinstance(game, HasStages) else game.steps(position)
    for move in (move for step in steps for move in step.moves if move.source != move.target):
        attempt = Attempt(move.source, move.target, move.pieces[0])
        _require(game.why_not(position, attempt) is None, "why_not", f"{attempt} is possible", game.text(position))


def _occupancy_by_hands(now: Occupancy, step: Step) -> Occupancy | None:
    try:
        return _sort_stacks(after_moves(now, step.moves))
    except ValueError:  # A move takes a piece that does not lie there.
        return None


def _sort_stacks(lying: Occupancy) -> Occupancy:
    return {node: tuple(sorted(stack)) for node, stack in lying.items()}


def _check_transition(game: Game[P], position: P, transition: Transition[P]) -> None:
    text, reason = game.text(position), transition.status.reason
    _require(game.turn(transition.position) >= game.turn(position), "turn", "it never decreases", text)
    left = {node: stack for node, stack in transition.placed.items() if node not in transition.removed}
    _require(
        left == dict(game.occupancy(transition.position)), "apply", "placed without removed is what lies then", text
    )
    _require(not transition.removed or game.removal is not None, "removal", "it says why pieces are removed", text)
    _require(
        transition.status.over == game.status(transition.position).over, "apply", "its status is that of status", text
    )
    _require(not transition.status.over or reason in game.endings, "endings", f"they say what {reason!r} means", text)
    _require(hash(position) == hash(game.parse(text)) or position != game.parse(text), "position", "it hashes", text)


def _check_end(game: Game[P], position: P, mode: str) -> None:
    text, status = game.text(position), game.status(position)
    _require(set(status.winners) <= set(game.seats(mode)), "status", "winners are seats", text)
    _require(set(game.decisive(position)) <= set(game.layout().nodes), "decisive", "they are nodes", text)
    counted = sorted(seat for line in game.explain(position) for seat in line.seats)
    _require(counted == sorted(game.seats(mode)), "explain", "each seat is in one line", text)
    _require_refusal(lambda: game.resign(position, 1), GameError, "resign", "nobody resigns from a game that is over")
    _require_refusal(
        lambda: game.apply(position, {1: "no such action"}), GameOver, "apply", "a game that is over is refused"
    )
    resigned = game.resign(game.start(mode), 1)
    _require(not resigned.status.over or resigned.status.reason == "resigned", "resign", "it says so", text)

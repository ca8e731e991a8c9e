"""Errors that people make at Octiles, and how they mend them."""

from __future__ import annotations

from firmware_host.games.game import Step
from firmware_host.table.subjects.resolving import ActionChosen
from tests.table.octiles_evenings import Error, Octiles, stage_of

# -- errors before the tile lies ---------------------------------------------------------------------------------------


def _well(step: Step) -> str:
    return str(step.moves[-2].target)


def _wrong_tile(hands: Octiles, _step: Step) -> None:
    """Lay another tile of the stack, and take it up again."""
    others = hands.position.stack[1:]
    if hands.evening.kind == "coded" and others and hands.free():
        wrong = f"{hands.random.choice(others)}r{hands.random.randrange(8)}"
        node = hands.random.choice(hands.free())
        hands.evening.put(node, wrong)
        hands.soon(0.1, 2.0)
        assert hands.stage == []
        hands.away(node)
        hands.wait(0.3)


def _wrong_well(hands: Octiles, step: Step) -> None:
    """Lay the tile where it works no turn, or elsewhere, and take it up again."""
    if hands.free():
        node = hands.random.choice(hands.free())
        hands.evening.put(node, step.moves[-2].pieces[0])
        hands.soon(0.1, 2.0)
        hands.answer(stage_of(step.action), others=True)
        hands.away(node)
        hands.wait(0.3)
        assert hands.stage == []


def _on_top(hands: Octiles, step: Step) -> None:
    """Lay the tile upon the one that is to be taken out first."""
    if len(step.moves) == 3:
        hands.evening.put(_well(step), step.moves[1].pieces[0])
        hands.soon(0.1, 2.0)
        assert hands.stage == []
        hands.evening.lift(_well(step))
        hands.evening.hand = []
        hands.soon(0.1, 0.4)


def _wrong_turning(hands: Octiles, step: Step) -> None:
    """Lay the tile as it works no turn, and turn it in the well."""
    if hands.evening.kind != "coded":
        return
    *away, tile, _ = step.moves
    legal = {stage_of(one.action) for one in hands.evening.game.steps(hands.position)}
    name = tile.pieces[0].partition("r")[0]
    wrong = [r for r in range(8) if f"{tile.target}r{r}" not in legal]
    if wrong:
        for move in away:
            hands.deed(move)
        hands.evening.put(str(tile.target), f"{name}r{hands.random.choice(wrong)}")
        hands.soon(0.1, 1.5)
        assert hands.stage == []
        hands.away(str(tile.target))
        hands.soon(0.05, 0.4)
        for move in away:
            hands.evening.put(str(move.source), move.pieces[0])
        hands.wait(0.3)


def _runner_first(hands: Octiles, step: Step) -> None:
    """Lift the runner before the tile lies, and put it back."""
    hands.evening.tap(str(step.moves[-1].source))
    hands.soon(0.05, 1.0)


def _other_runner(hands: Octiles, step: Step) -> None:
    """Lift somebody's runner, and put it back."""
    wells = hands.evening.game.layout().wells
    node = hands.random.choice([node for node in hands.evening.stones if node not in wells])
    hands.evening.lift(node)
    hands.soon(0.1, 1.3)
    hands.evening.put(node)
    hands.wait(2.2)  # Long enough not to be one of two taps.


# -- errors once the tile lies -----------------------------------------------------------------------------------------


def _nodes(hands: Octiles) -> list[str]:
    layout = hands.evening.game.layout()
    return [node for node in layout.nodes if node not in layout.wells and node not in hands.evening.stones]


def _wrong_node(hands: Octiles, step: Step) -> None:
    """Move the runner to where no line leads, and back."""
    source = step.moves[-1].source
    ends = {one.moves[0].target for one in hands.evening.table.watch.tracker.steps if one.moves[0].source == source}
    wrong = [node for node in _nodes(hands) if node not in ends]
    if wrong:
        node = hands.random.choice(wrong)
        hands.evening.carry(str(source), node)
        hands.soon(0.1, 2.0)
        hands.evening.carry(node, str(source))
        hands.wait(2.2)


def _changed_mind(hands: Octiles, step: Step) -> None:
    """Touch another end of a line, and go back at once."""
    runner = step.moves[-1]
    ends = [one.moves[0] for one in hands.evening.table.watch.tracker.steps if one.moves[0] != runner]
    ends = [move for move in ends if move.source != move.target]
    if ends:
        move = hands.random.choice(ends)
        hands.evening.carry(str(move.source), str(move.target), pause=0.1)
        hands.wait(0.06)
        hands.evening.carry(str(move.target), str(move.source), pause=0.1)
        hands.wait(2.2)


def _tile_again(hands: Octiles, step: Step) -> None:
    """Take the tile up and lay it again."""
    hands.evening.lift(_well(step))
    assert hands.stage == []
    hands.soon(0.05, 0.8)
    hands.evening.put(_well(step))
    hands.wait(0.5)
    hands.answer(stage_of(step.action))


def _tile_after_runner(hands: Octiles, step: Step) -> None:
    """Take the tile up while the runner is in the other hand, lay it again, put the runner back."""
    runner = str(step.moves[-1].source)
    evening = hands.evening
    evening.lift(runner)
    hands.soon(0.1, 0.5)
    held, evening.hand = evening.hand, []
    evening.lift(_well(step))
    hands.soon(0.1, 0.8)
    evening.put(_well(step))
    hands.soon(0.1, 0.8)
    hands.answer(stage_of(step.action))
    evening.hand = held
    evening.put(runner)
    hands.wait(0.6)
    hands.answer(stage_of(step.action))
    hands.wait(1.6)


def _turned_in_place(hands: Octiles, step: Step) -> None:
    """Turn the tile where it lies, or on the phone, to another turning that works, and back."""
    tracker_steps = hands.evening.game.steps(hands.position)
    others = sorted({stage_of(one.action) for one in tracker_steps if _well(one) == _well(step)})
    other, right = hands.random.choice(others), stage_of(step.action)
    name = step.moves[-2].pieces[0].partition("r")[0]
    for stage in (other, right):
        if hands.evening.kind == "coded":
            hands.evening.stones[_well(step)] = [f"{name}r{stage[-1]}"]
            hands.evening.feel(_well(step))
            hands.wait(0.6)
        else:
            hands.evening.say(ActionChosen(at=hands.evening.at, seat=hands.seat, action=stage))
        assert hands.stage == [stage]


def _power_cut(hands: Octiles, step: Step) -> None:
    """After a power cut the turn begins anew."""
    coming, hands.coming = hands.coming, None
    if hands.random.random() < 0.5:
        hands.evening.lift(str(step.moves[-1].source))
        hands.soon(0.1, 0.4)
    hands.restart()
    assert hands.stage == []
    hands.coming = coming
    hands.lay(step.moves[:-1], step.action)


def _named(hands: Octiles, step: Step) -> None:
    """Say the whole turn on the phone before doing it."""
    hands.evening.say(ActionChosen(at=hands.evening.at, seat=hands.seat, action=step.action))


def _another_named(hands: Octiles, step: Step) -> None:
    """Say a turn with another well on the phone, and do this one nevertheless."""
    others = [one.action for one in hands.evening.game.steps(hands.position) if _well(one) != _well(step)]
    if others:
        other = hands.random.choice(others)
        hands.evening.say(ActionChosen(at=hands.evening.at, seat=hands.seat, action=other))


ERRORS = (
    Error("wrong tile", "tile", _wrong_tile),
    Error("wrong well", "tile", _wrong_well),
    Error("tile on top", "tile", _on_top),
    Error("wrong turning", "tile", _wrong_turning),
    Error("runner first", "tile", _runner_first),
    Error("other runner", "tile", _other_runner),
    Error("named", "tile", _named),
    Error("another named", "tile", _another_named),
    Error("wrong node", "runner", _wrong_node),
    Error("changed mind", "runner", _changed_mind),
    Error("tile again", "runner", _tile_again),
    Error("tile after runner", "runner", _tile_after_runner),
    Error("turned in place", "runner", _turned_in_place),
    Error("power cut", "runner", _power_cut),
)

"""Families of disorder on a board: what hands do that means nothing, or not what it looks like.

Each family leaves the board and the hand in some state; what has to follow is judged by ``followers.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from firmware_host.games.game import Step
from tests.hands.account import Lost

if TYPE_CHECKING:
    from tests.hands.followers import Disturbed

Family = Callable[["Disturbed"], None]


def anything(board: Disturbed) -> None:
    """Begin steps, carry, pour, swap and lift, with a choice on a phone now and then."""
    board.disturb()


def two_lifted(board: Disturbed) -> None:
    """Two stones of one interaction are in the air; or one is back; or each lies where the other one lay."""
    nodes = _of_one_interaction(board)
    _lift_all(board, nodes)
    if not nodes:
        return
    way = board.random.randrange(4)
    if way == 1:  # One of them is put back.
        board.put(nodes[0], board.hand[0])
    elif way == 2:
        _put_exchanged(board, nodes)
    elif way == 3:
        board.hand.clear()  # Forgotten beside the board.


def exchanged_and_a_third(board: Disturbed) -> None:
    """Two stones are exchanged, and a third one is in the hand."""
    nodes = _of_one_interaction(board)
    _lift_all(board, nodes)
    _put_exchanged(board, nodes)
    board.lift_some(1, *nodes)


def both_hands(board: Disturbed) -> None:
    """Any two stones are in two hands, and one comes down anywhere."""
    board.lift_some(2)
    if board.random.random() < 0.5:
        board.pause()
        board._drop()


def sweep(board: Disturbed) -> None:
    """A sleeve shifts or takes some stones within one or few moments; perhaps it takes them all."""
    lying = [node for node, stack in board.world.stacks.items() if stack and node not in board.world.wells]
    nodes = board.random.sample(lying, min(len(lying), board.random.randrange(2, 9)))
    before = {node: list(board.world.stacks[node]) for node in nodes}
    for node in nodes:
        board.world.stacks[node] = []
    free = [node for node, stack in board.world.stacks.items() if not stack and node not in board.world.wells]
    board.random.shuffle(free)
    shifts = board.random.random() < 0.6
    for (node, stack), to in zip(before.items(), free, strict=False):
        if shifts and board.random.random() < 0.8:
            board.world.stacks[to] = stack
            board.feel(node, to)
        else:
            board.hand += stack
            board.feel(node)
        if board.random.random() < 0.3:
            board.wait(0.06)


def changed_mind(board: Disturbed) -> None:
    """A step counts, most often one that ends the turn, and its last stone is lifted again."""
    step = board.a_step(ends_turn=True)
    if step is None or not board.perform(step) or board.table.phase == "over":
        return board.lift_some(1)
    board.pause()
    last = next((move.target for move in reversed(step.moves) if move.target), None)
    if last and board.world.stacks[last]:
        board.lift(last)
    return None


def detour(board: Disturbed) -> None:
    """A step's piece rests on a wrong node, another stone is felt, and the piece is in the hand again."""
    step = board.a_step(ends_turn=True)
    if step is None or step.moves[0].source is None:
        return board.lift_some(1)
    board.lift(step.moves[0].source, step.moves[0].pieces[0])
    board.pause()
    board._drop()
    rests = next((node for node in reversed(list(board.laid_by_hand)) if board.world.stacks[node]), None)
    board.pause()
    if rests and board.random.random() < 0.7:
        board.lift(rests)
    board.lift_some(board.random.randrange(2))
    return None


def loop_disturbed(board: Disturbed) -> None:
    """While pieces are cleared some of them go, in any order, and the piece that has acted goes back."""
    removed = [node for node in board.done.removed if board.world.stacks[node]] if board.done else []
    for node in removed[: board.random.randrange(1, 3)]:
        board.lift(node)
        board.wait(board.random.choice((0.14, 0.5, 1.2)))
    move = board.done.moves[-1] if board.done and board.done.moves else None
    if move and move.source and not board.world.stacks[move.source] and board.random.random() < 0.7:
        if board.hand and board.random.random() < 0.5:
            board.put(move.source, board.hand[-1])
        elif move.target and board.world.stacks[move.target]:
            board.lift(move.target, move.pieces[0])
            board.wait(0.5)
            board.put(move.source, move.pieces[0])
    board.pause()


def answered_late(board: Disturbed) -> None:
    """Something is felt or lifted, what is asked is answered after more hands, truly or not; then a step is chosen."""
    wells = [node for node in board.world.wells if board.world.stacks[node]]
    for node in [board.random.choice(wells)] if wells else board.some(1):
        stack, board.world.stacks[node] = board.world.stacks[node], []
        board.feel(node)
        board.wait(0.5)
        if wells or board.random.random() < 0.5:
            board.world.stacks[node] = stack
            board.feel(node)
    board.wait(board.random.choice((1.5, 3.0)))
    asked = board.door.look()["asked"]
    if board.random.random() < 0.4:
        board.lift_some(1)
        board.wait(board.random.choice((0.3, 2.0)))
    board.answer(asked)
    if board.random.random() < 0.6:
        board.choose()


def going_on(board: Disturbed) -> None:
    """A question is open, hands do the next step, and only then it is answered truly: no refusal."""
    doubtful = [step for step in board.steps() if not board.arrives_seen(step)]
    first = board.a_step(among=doubtful)
    if first is None:
        return both_hands(board)
    before, following = board.in_force(), board.after(first)
    board.make(first)
    board.wait(3.0)
    later = board.a_step(among=[step for step in following if board.arrives_seen(step)])
    if board.in_force() != before or not board.door.look()["asked"] or later is None:
        board.say(first, before)
        return None
    board.told.append(f"{board.world.at:.2f} asked, {first.action} is done, {later.action} begins")
    board.make(later)
    board.wait(board.random.choice((2.0, 4.0, 40.0)))
    board.say(first, before, later=later.action)
    board.say(later, board.in_force()[: len(before) + 1])
    return None


def turned(board: Disturbed) -> None:
    """A tile lies, is turned by another angle, and the runner follows at once; elsewhere a step is done in haste."""
    step = board.a_step()
    if step is None:
        return both_hands(board)
    before = board.in_force()
    tile = next((move for move in step.moves if move.target in board.world.wells), None)
    if tile is None or board.kind != "coded":
        if tile is None:
            board.make(step, (0.05, 0.1, 0.3))
            board.say(step, before)
        return None
    number = tile.pieces[0].partition("r")[0]
    moves = list(step.moves)
    at = moves.index(tile)
    for move in moves[:at]:
        board.make_move(move)
    other = f"{number}r{board.random.randrange(8)}"
    board.put(str(tile.target), other)
    board.wait(3.0)
    board.world.stacks[str(tile.target)] = list(tile.pieces)
    board.feel(str(tile.target))
    board.wait(board.random.choice((0.05, 0.1, 0.2, 0.3, 0.4)))
    for move in moves[at + 1 :]:
        board.make_move(move, (0.3, 0.4))
    board.say(step, before)
    return None


def felt_after_a_repair(board: Disturbed) -> None:
    """A stone was lifted for long and put back as told; later a step is done while another stone is felt."""
    nodes = board.some(1)
    for node in nodes:
        board.lift(node)
        board.wait(7.0)
        if board.world.stacks[node] or not board.in_force_is_old():
            return
        board.put(node, board.hand[-1])
        board.wait(board.random.choice((3.0, 11.0)))
    asked = board.door.look()["asked"]
    if board.in_order and asked is None and board.table.phase == "resolving":
        board.next_action(felt=True)


FAMILIES: dict[str, tuple[Family, str]] = {
    "anything": (anything, "resolving sealing placing clearing over"),
    "two lifted": (two_lifted, "resolving sealing placing clearing over"),
    "exchanged and a third": (exchanged_and_a_third, "resolving sealing placing clearing over"),
    "both hands": (both_hands, "resolving sealing placing clearing over"),
    "sweep": (sweep, "resolving sealing placing clearing over"),
    "changed mind": (changed_mind, "resolving"),
    "detour": (detour, "resolving"),
    "loop disturbed": (loop_disturbed, "clearing"),
    "answered late": (answered_late, "resolving sealing placing clearing over"),
    "going on": (going_on, "resolving"),
    "turned": (turned, "resolving"),
    "felt after a repair": (felt_after_a_repair, "resolving"),
}
"""Each family, and the phases in which it is tried."""
UNMEANT = frozenset({"two lifted", "exchanged and a third", "both hands", "sweep", "loop disturbed", "changed mind"})
"""Families in which no step is begun: nothing that counts because of them was meant."""


def _of_one_interaction(board: Disturbed) -> list[str]:
    """Return the nodes of two stones that act on each other, else any two."""
    steps = [s for s in board.steps() if s.moves[0].source and s.partners and s.moves[0].source != s.partners[0]]
    if steps:
        step = board.random.choice(steps)
        nodes = [str(step.moves[0].source), board.random.choice(step.partners)]
        if all(board.world.stacks[node] for node in nodes) and len(set(nodes)) == 2:
            board.random.shuffle(nodes)
            return nodes
    return board.some(2)


def _lift_all(board: Disturbed, nodes: Sequence[str]) -> None:
    for node in nodes:
        board.lift(node)
        board.wait(board.random.choice((0.14, 0.5, 1.0)))


def _put_exchanged(board: Disturbed, nodes: Sequence[str]) -> None:
    for node, piece in zip(reversed(nodes), list(board.hand), strict=False):
        if board.fits(node, piece):
            board.put(node, piece)
            board.wait(board.random.choice((0.14, 0.5)))


def refused(step: Step, about: object) -> Lost:
    """Return the fault that a legal action, truly done, is not taken."""
    return Lost(f"refused: {step.action} was done: {about}")

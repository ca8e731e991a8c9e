"""Right things that hands do in a strange order, or with something else between."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.game import PieceMove, Step
from tests.hands.account import Lost
from tests.hands.hands import Hands, one_piece
from tests.hands.people import alike, ends_of


def simply(people: Hands, step: Step) -> None:
    people.do(step)


def quickly(people: Hands, step: Step) -> None:
    people.do(step, pauses=(0.06, 0.1))


def partner_first(people: Hands, step: Step) -> None:
    """The piece that pushes or pulls is felt before the action."""
    people.expect(step)
    for node in step.partners[:1]:
        people.tap(node)
        people.soon(0.06, 0.4)
    people.make(step)
    people.finish(step)


def another_touched(people: Hands, step: Step) -> None:
    """Another piece is felt and put back, before, between or after."""
    other = people.some(*people.telling(step))
    people.do(step, (lambda: people.tap(other)) if other else None)


def two_in_the_air(people: Hands, step: Step) -> None:
    """Another piece is lifted on the way and comes back only at the end."""
    other = people.some(*people.telling(step))
    if other is None or people.same_from(other, step):  # No sensor could tell which of the two has come to the target.
        people.do(step)
        return
    held: list[str] = []

    def lift() -> None:
        held.extend(people.world.lift(other, list(people.world.stacks[other])))
        people.soon(0.06, 0.3)

    people.expect(step)
    people.make(step, lift)
    if held:
        people.soon()
        people.world.put(other, held)
    people.finish(step)


def slid_over_another_node(people: Hands, step: Step) -> None:
    """The piece touches another legal node on its way, too briefly to be meant."""
    move = step.moves[0]
    legal = [s.moves[0] for s in people.legal if len(s.moves) == 1]
    others = [m.target for m in legal if m.source == move.source and m.target not in {move.target, move.source}]
    free = [node for node in others if node and not people.world.stacks[node]]
    if len(step.moves) > 1 or not free or move.target is None:
        people.do(step)
        return
    people.expect(step)
    over = people.random.choice(free)
    pieces = people.world.lift(move.source, move.pieces) if move.source else list(move.pieces)
    people.soon(0.1, 0.3)
    people.world.put(over, pieces)
    people.wait(0.1)
    people.world.lift(over, pieces)
    people.soon(0.06, 0.2)
    people.world.put(move.target, pieces)
    people.finish(step)


def slid_at_once(people: Hands, step: Step) -> None:
    """A whole line is slid: all its sensors change within a scan or two."""
    if len(step.moves) < 2 or not step.line or people.world.wells:
        people.do(step)
        return
    people.expect(step)
    for node in sorted(step.touches):
        people.world.set(node, step.after.get(node, ()))
    people.wait(0.06)
    people.finish(step)


def bumped(people: Hands, step: Step) -> None:
    """Some other pieces jump up and lie as before."""

    def bump() -> None:
        held = {
            node: people.world.lift(node, list(people.world.stacks[node]))
            for node in people.several(3, *people.telling(step))
        }
        people.wait(0.12)
        for node, pieces in held.items():
            people.world.put(node, pieces)

    people.do(step, bump)


def fluttering(people: Hands, step: Step) -> None:
    """The contact of another node chatters. Not one whose piece seems to be lifted, and to come down, by that."""
    node = people.some(*people.telling(step))
    told = node is not None and not people.same_from(node, step)
    people.do(step, (lambda: people.world.flutter(str(node))) if told else None)


def held_long(people: Hands, step: Step) -> None:
    """A piece stays in the hand for a minute. Not one that was just added: by the ruling it is taken back."""
    added = any(move.source and move.source not in board for board in people.earlier() for move in step.moves)
    people.do(step, (lambda: people.wait(60.0)) if people.shown(step) and not added else None)


def chosen_before(people: Hands, step: Step) -> None:
    """The action is chosen on the phone before it is done."""
    people.expect(step)
    people.phone("choose", action=step.action)
    people.soon(0.1, 0.5)
    people.make(step)
    people.finish(step)


def next_one_at_once(people: Hands, step: Step) -> None:
    """The next action begins before this one has settled."""
    follow = people.table.watch.tracker.evidence.follow
    later = [
        one
        for one in (follow(step) if follow else ())
        if one.moves
        and not one.partial
        and not one.removed
        and ends_of(step).isdisjoint(ends_of(one))
        and one.after not in people.earlier()  # By the ruling that would take the last action back.
    ]
    if not later or ":" in step.action or not people.shown(step):
        people.do(step)
        return
    second = people.random.choice(later)
    people.expect(step, second)
    people.make(step, pauses=(0.06, 0.1))
    people.make(second, pauses=(0.06, 0.1))
    people.settle()
    for _ in range(6):
        done = people.in_force()[len(people.meant) :]
        if len(done) == 2:
            break
        people.answer(second if len(done) == 1 else step)
        people.settle()
    if not people.counted():
        done = people.in_force()[len(people.meant) :]
        raise Lost(f"{step.action} and {second.action} at once gave {done}: {people.message}")
    people.note_done()
    people.tidy()


def changed_mind(people: Hands, step: Step) -> None:
    """The action counts, and then its piece goes on to where it could have gone instead."""
    move, before = one_piece(step), people.legal
    others = [one for one in before if _instead(one, step) and people.shown(one)]
    people.expect(step)
    people.make(step)
    people.until_it_counts(step)
    people.note_done()
    # Of three stones a sensor may report anything: it can't tell that one has gone on.
    told_by_sensors = move is not None and len(people.world.stacks[str(move.target)]) <= 2
    if move is not None and people.phase != "resolving":  # Nobody acts who could be asked what no sensor tells.
        told_by_sensors = told_by_sensors and people.leaving_shown(move)
    if told_by_sensors and not people.table.ledger.over:
        now = people.legal if people.phase == "resolving" else ()
        told = [one for one in others if not any(people.look_alike(one.after, other.after) for other in now)]
        if told:
            _go_on_to(people, people.random.choice(told), before)
    people.tidy()


def _instead(one: Step, step: Step) -> bool:
    """Tell whether one step moves the same piece as another one to another node."""
    move, other = one_piece(step), one_piece(one)
    if move is None or other is None or ":" in f"{step.action}{one.action}" or step.partial or one.partial:
        return False
    return (other.source, other.pieces) == (move.source, move.pieces) and one.after != step.after


def _go_on_to(people: Hands, step: Step, before: Sequence[Step]) -> None:
    """Move the piece of the last action on, so that another step from the position before is done."""
    *people.meant, last = people.meant
    people.goals = {(one,) for one in alike(step, before)}
    people.coming = {(last,), *people.goals}
    move = step.moves[0]
    lies = next(one.moves[0].target for one in before if one.action == last)
    people.soon(0.1, 3.0)
    people.carry(PieceMove(move.pieces, lies, move.target))
    people.until_it_counts(step)
    people.note_done()


IN_STRANGE_ORDER = (
    simply,
    quickly,
    partner_first,
    another_touched,
    two_in_the_air,
    slid_over_another_node,
    slid_at_once,
    bumped,
    fluttering,
    held_long,
    chosen_before,
    next_one_at_once,
    changed_mind,
)

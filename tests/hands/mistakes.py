"""Wrong things that hands and phones do, what people take back, and what happens to the table meanwhile."""

from __future__ import annotations

from firmware_host.games.game import PieceMove, Step
from tests.hands.account import Lost
from tests.hands.hands import Hands, backwards, one_piece
from tests.hands.people import alike

# -- on the board ------------------------------------------------------------------------------------------------------


def wrong_node(people: Hands, step: Step) -> None:
    """The piece is laid on a wrong node, then where it belongs; or people follow the lights first."""
    move = one_piece(step)
    if move is None:
        people.do(step)
        return
    people.expect(step)
    wrong = people.empty(*people.steps_to())
    pieces = people.world.lift(str(move.source), move.pieces)
    people.soon(0.1, 0.4)
    people.world.put(wrong, pieces)
    people.soon(0.2, 6.0)
    if people.random.random() < 0.5:
        people.follow()
        people.make(step)
    else:
        people.carry(PieceMove(move.pieces, wrong, move.target), people.random.uniform(0.1, 0.4))
    people.finish(step)


def swept(people: Hands, _step: Step) -> None:
    """A sleeve moves some pieces; they are put back as the lights say."""
    people.scatter(people.random.randrange(2, 6))
    people.wait(0.3)
    people.mend()
    people.next_step()


def contrary_repair(people: Hands, _step: Step) -> None:
    """While the board is to be mended, somebody makes it worse."""
    people.scatter(2)
    people.wait(5.0)
    people.scatter(1)
    people.wait(1.0)
    people.mend()
    people.next_step()


def only_held(people: Hands, step: Step) -> None:
    """A piece is lifted, thought about for any time, and put back: whatever was shown meanwhile, nothing counts."""
    move = one_piece(step)
    if move is None or any(move.source not in board for board in people.earlier()):
        people.do(step)  # A piece that was just added is taken back by being held.
        return
    own = [one for one in people.legal if one.moves and one.moves[0].source == move.source]
    unseen = [one for one in own if not people.shown(one)]
    before, ending = people.in_force(), people.position
    people.coming = {(one.action,) for one in unseen}
    held = people.world.lift(str(move.source), move.pieces)
    people.wait(people.random.choice((0.3, 1.0, 2.0, 8.0, 40.0)))
    if people.phase != "resolving" or people.table.actor != people.game.actor(ending):
        raise Lost(f"{move.source} was only held, and the turn is over: {people.in_force()[-1:]}")
    people.world.put(str(move.source), held)
    people.wait(3.0)
    question = people.door.look()["asked"]
    if people.in_force() != before or question is not None:
        raise Lost(f"{move.source} is back: in force {people.in_force()[-1:]}, asked {question}")
    people.coming = set()


def pusher_follows(people: Hands, step: Step) -> None:
    """The piece that pushes goes after the pushed one, and back as the lights say."""
    move = one_piece(step)
    alone = [node for node in step.partners if len(people.world.stacks[node]) == 1]
    if move is None or not alone or "+" in step.action or not people.shown(step) or people.world.wells:
        people.do(step)
        return
    people.expect(step)
    legal = {(m.source, m.target) for one in people.legal_after(step) for m in one.moves}
    people.make(step, pauses=(0.14, 0.3))
    pusher = alone[0]
    if (pusher, move.source) not in legal and people.phase == "resolving":
        people.world.put(str(move.source), people.world.lift(pusher))
        people.wait(0.5)
        asked = people.door.look()["asked"]
        if asked and step.action not in [choice["action"] for choice in asked["choices"]]:
            # The board is as after something else, which alone is offered: whoever reads that puts the pusher back.
            people.world.put(pusher, people.world.lift(str(move.source)))
            people.wait(0.5)
        people.follow()
        if not people.counted() and people.phase == "resolving" and people.table.in_order:
            people.make(step)  # Where the pusher followed at once the lights may lead back to the beginning.
    people.finish(step)


def one_too_many(people: Hands, step: Step) -> None:
    """A piece too many is put down beside the action, where none belongs; the lights say which."""
    piece = people.random.choice([p for p in people.world.poles if p not in people.tiles])
    near = {*people.steps_to(), *step.touches, *step.removed, *step.line}
    if all(stack for node, stack in people.world.stacks.items() if node not in near | people.world.wells):
        people.do(step)
        return
    people.expect(step)
    wrong = people.empty(*near)
    people.world.put(wrong, [piece])
    people.wait(people.random.choice((0.3, 2.0, 6.0)))
    people.follow()
    people.make(step)
    people.finish(step)


def long_lift(people: Hands, step: Step) -> None:
    """A stack on which the piece may be put is lifted for long on the way: that is no tap."""
    move = one_piece(step)
    stacks = [
        m.target
        for one in people.legal
        for m in one.moves[:1]
        if move is not None and m.source == move.source and m.target and len(people.world.stacks[m.target]) > 1
    ]
    if move is None or not stacks or move.target in stacks:
        people.do(step)
        return
    node = people.random.choice(stacks)
    people.expect(step)
    held = people.world.lift(str(move.source), move.pieces)
    people.soon()
    stack = people.world.lift(node, list(people.world.stacks[node]))
    people.wait(people.random.choice((3.0, 10.0)))
    people.world.put(node, stack)
    people.wait(1.0)
    people.world.put(str(move.target), held)
    people.finish(step)


# -- back again --------------------------------------------------------------------------------------------------------


def taken_back_by_hand(people: Hands, step: Step) -> None:
    """The action counts, and is put back as it was, before anything is cleared."""
    people.expect(step)
    people.make(step)
    people.until_it_counts(step)
    people.note_done()
    if not step.removed:
        people.tidy()
    if people.phase in {"resolving", "clearing"} and not people.table.ledger.over and ":" not in step.action:
        _put_back(people, step)
    people.tidy()


def _put_back(people: Hands, step: Step) -> None:
    *people.meant, last = people.meant
    people.coming = {(last,)}
    moves = backwards(step)
    for move in moves:
        people.carry(move, 0.2)
        people.soon(0.06, 0.3)
    people.settle()
    people.ask_for_back()
    if people.in_force() != people.meant:
        if not people.in_doubt(moves):
            raise Lost(f"{step.action} was put back and is in force: {people.message}")
        people.mend()
    people.mean_what_counts()


def taken_back_by_all(people: Hands, step: Step) -> None:
    """The action counts, all agree to take it back, and the lights lead the board back."""
    people.do(step)
    if people.phase not in {"resolving", "sealing"}:
        return
    *people.meant, last = people.meant
    people.coming = {(last,)}
    first, *others = sorted(people.table.ledger.sittings)
    move = one_piece(step)
    before_all_agree = move is not None and people.random.random() < 0.3
    if people.phone("propose", seat=first, proposal="take-back") is None:
        if before_all_agree and move is not None and move.pieces[-1] in people.world.stacks[str(move.target)]:
            people.carry(PieceMove(move.pieces, move.target, move.source), 0.1)
        people.soon(0.05, 1.0)
        for seat in others:
            people.phone("agree", seat=seat, proposal="take-back")
        if before_all_agree:
            people.settle()
            people.ask_for_back()
    people.mend()


def agreed_too_late(people: Hands, step: Step) -> None:
    """Somebody proposes to take back, another action is done, and only then the others agree: to nothing any more."""
    first, *others = sorted(people.table.ledger.sittings)
    proposed = people.phone("propose", seat=first, proposal="take-back") is None
    people.do(step)
    if proposed and not people.table.ledger.over:
        for seat in others:
            if people.phone("agree", seat=seat, proposal="take-back") is None:
                raise Lost("all could agree to take back what was proposed before another action")


# -- phones that contradict hands --------------------------------------------------------------------------------------


def another_chosen(people: Hands, step: Step) -> None:
    """Another action is chosen on the phone than the hands do."""
    others = [s for s in people.legal if s.moves and not people.look_alike(s.after, step.after)]
    if people.world.wells:  # How a tile is turned the table may learn from the phone only: no phone is wrong about it.
        others = [s for s in others if s.action.partition("r")[0] != step.action.partition("r")[0]]
    people.expect(step)
    if others:
        people.phone("choose", action=people.random.choice(others).action)
        people.soon(0.1, 0.5)
    people.make(step)
    people.finish(step)


def another_confirmed(people: Hands, step: Step) -> None:
    """A phone says on the way that another action lies on the board, and sensors show that it doesn't."""

    def claim() -> None:
        people.wait(0.3)
        if people.phase != "resolving" or people.counted():
            return
        others = [s for s in people.legal if s.moves and not s.removed and ":" not in s.action]
        others = [
            s for s in others if all(len(s.after.get(node, ())) < 3 for node in s.touches)
        ]  # They report anything.
        false = [s for s in others if not people.look_alike(s.after, people.world.stacks)]
        if false:
            people.phone("confirm", action=people.random.choice(false).action)

    people.do(step, claim)


# -- what happens to the table -----------------------------------------------------------------------------------------


def paused(people: Hands, step: Step) -> None:
    """The host pauses the game; meanwhile pieces are moved, or one is in a hand."""
    move = one_piece(step)
    held = people.world.lift(str(move.source), move.pieces) if move and people.random.random() < 0.3 else []
    people.door.deed(people.world.at, "pause")
    people.soon(0.1, 2.0)
    people.scatter(people.random.randrange(3))
    people.wait(0.3)
    people.door.deed(people.world.at, "resume")
    if move and held:
        people.soon(0.1, 2.0)
        people.world.put(str(move.source), held)
    people.mend()
    people.next_step()


def power_cut(people: Hands, step: Step) -> None:
    """The power fails, perhaps with an action half done, and somebody moves pieces before the table is back."""
    move = one_piece(step) if people.random.random() < 0.5 else None
    held = people.world.lift(str(move.source), move.pieces) if move is not None else []
    people.soon(0.06, 0.3)
    people.scatter(people.random.randrange(4))
    if people.random.random() < 0.7:
        people.wait(0.3)  # Else the sensors report it only afterwards.
    people.door.restart(people.world.at)
    people.soon(0.06, 2.0)
    if move is not None:
        node = str(people.random.choice((move.source, move.target)))
        if node == move.target:  # Where no sensor showed that it was lifted, that is an action like any other.
            people.coming = {(one,) for one in alike(step, people.legal)}
        people.world.put(node, held)
    people.mend()
    people.next_step()


MISTAKES = (
    wrong_node,
    swept,
    contrary_repair,
    taken_back_by_hand,
    taken_back_by_all,
    agreed_too_late,
    another_chosen,
    another_confirmed,
    only_held,
    pusher_follows,
    one_too_many,
    long_lift,
    paused,
    power_cut,
)

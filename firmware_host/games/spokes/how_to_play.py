"""How Spokes is explained to people who have never heard of it; the source of each sentence is spokes.md."""

from __future__ import annotations

from firmware_host.games.capabilities import HowToPlay, RulesPicture
from firmware_host.text.words import say

HOW_TO_PLAY = HowToPlay(
    aim=say("Get the most stones, of any colour, onto your homes."),
    pictures=(
        RulesPicture(
            say(
                "The outer ring is made of homes: in a game for two, 1 to 8 belong to player 1, 9 to 16 to player 2. "
                ""
                "Each stone on a home counts for its owner, white or black."
            ),
            "./..../......../................/.wb..w..b.w....b 2 7 1 place -",
            lit={**{str(home): 1 for home in range(1, 9)}, **{str(home): 2 for home in range(9, 17)}},
        ),
        RulesPicture(
            say(
                "Each turn, every player secretly chooses a colour and an empty node inside the ring of homes. "
                "When all have chosen, the choices are revealed and the stones are put down."
            ),
            "./..../..b...../..........w...../................ 2 2 2 place -",
            lit={"C3": 1, "D11": 2},
        ),
        RulesPicture(
            say(
                "Then one player resolves the turn: moves stones, step by step, until nothing can move. "
                "Stones of different colours attract: one pulls its neighbour onto its own node, "
                "where they are a block."
            ),
            "./..../......../...........wb.../................ 2 1 1 resolve -",
            action="D12+D13",
        ),
        RulesPicture(
            say(
                "Stones of the same colour push each other away. The pushed stone moves one node straight on: "
                "this is how stones get onto homes."
            ),
            "./..../.....w../..........w...../................ 2 1 1 resolve -",
            action="C6-D11-11",
        ),
        RulesPicture(
            say(
                "A block stops every push. When no step is possible the turn is over, "
                "and the next player resolves the next turn."
            ),
            "./..../.....w../..........w...../..........x..... 2 2 2 place -",
            lit={"11": "target"},
        ),
        RulesPicture(
            say(
                "The game ends when one player has stones on all of their homes, or when blocks close every way there. "
                ""
                "The player with the most stones on homes wins; a block counts as two."
            ),
            "./..../......../....x.....w...../wbbxwbwww.bb..w. 2 21 1 over -",
            lit={str(home): "won" for home in range(1, 9)},
        ),
        RulesPicture(
            say(
                "Stones that can only push each other round for ever are an unbreakable loop. It ends the game: "
                "the loop lights up once round, its stones come off, and they count for nobody."
            ),
            "w/.x../w.w.wxxw/.w.w.w....wxw.../w.w.w.w.w.....w. 2 20 2 resolve -",
            lit=dict.fromkeys(("C1", "C3", "C5", "C8"), "loop"),
        ),
        RulesPicture(
            say(
                "If a stone of the same colour is straight ahead, the pushed stone may turn aside instead, "
                "to an empty node on its left or right."
            ),
            "./..../.....w../..........w...../..........wx.... 2 1 1 resolve -",
            action="C6-D11-D12",
        ),
        RulesPicture(
            say(
                "Two players may choose the same node. Two equal stones are a double: "
                "before anything else, one of them moves to a neighbouring node."
            ),
            "./..../..(ww)...../................/................ 2 1 1 resolve -",
            action="C3/D5",
        ),
    ),
    cover=RulesPicture("", "w/b..w/.w..b.x./..w.b.....x..w../w..b.w....b.w..b 2 9 1 place -"),
    minutes=(20, 40),
    terms={
        say("home"): say(
            "A node of the outer ring that belongs to a player. "
            "Nobody places a stone there: stones have to be moved there."
        ),
        say("to seal"): say(
            "To fix your secret choice. Nobody sees it, and nobody can change it, until all have sealed."
        ),
        say("to resolve"): say(
            "To make all steps that are possible, in any order you like. The players take turns at it."
        ),
        say("block"): say(
            "One white and one black stone on the same node. It stays there; "
            "only of two blocks on one node one has to move."
        ),
        say("double"): say("Two stones of one colour on the same node. One of them has to move before anything else."),
        say("to rest"): say("Stones are at rest when no step is possible any more. Then the turn is over."),
        say("loop"): say(
            "Stones that would push each other around for ever. They are taken off the board, and the game is over. "
            "If no rest can be reached any more, this happens once a position has come up three times."
        ),
        say("sector"): say("The nodes between your homes and the centre. In a tie, more stones there decide."),
    },
)

"""How Coil is explained to people who have never heard of it, on boards of four cells a side; the source is coil.md."""

from __future__ import annotations

from firmware_host.games.capabilities import HowToPlay, RulesPicture
from firmware_host.games.coil.board import board
from firmware_host.text.words import say

_SMALL = board(4).layout()
_SMALLEST = board(3).layout()

HOW_TO_PLAY = HowToPlay(
    aim=say("Black closes a loop of black stones; White fills the board without one."),
    pictures=(
        RulesPicture(
            say(
                "First nobody has a colour: the two players take turns putting black stones on empty cells. "
                "These pictures show a small board."
            ),
            "..../...../....b./......./..b.../...../.... contract 1 -",
            action="d2",
            done=True,
            lit={"d2": "best"},
            layout=_SMALL,
        ),
        RulesPicture(
            say(
                "Instead of putting a stone you may pass. Then you are Black, the other player is White, "
                "and the colours stay so for the rest of the game."
            ),
            "..../...../....b./.b...../..b.../...../.... main 2 1",
            layout=_SMALL,
        ),
        RulesPicture(
            say(
                "From then on White puts white stones and Black black ones, one each turn, White first. "
                "Stones never move, and nobody may pass."
            ),
            "..../...../..w.b./.b...../..bw../...../.... main 1 1",
            action="e5",
            done=True,
            lit={"e5": "best"},
            layout=_SMALL,
        ),
        RulesPicture(
            say(
                "This is a coil: a loop of black stones around at least one cell. As soon as there is one, "
                "Black has won."
            ),
            "..../.w.../..bb../..b.bw./..bb../.w.w./.... main 1 1",
            lit=dict.fromkeys(("c3", "c4", "d3", "d5", "e3", "e4"), "won"),
            layout=_SMALL,
        ),
        RulesPicture(
            say("The board is full, and there is no coil: White has won. There are no draws."),
            "bwb/wbwb/bwwbw/wbwb/bww main 1 1",
            layout=_SMALLEST,
        ),
        RulesPicture(
            say(
                "Be careful before anybody has passed: closing a coil then loses the game. "
                "So pass in time, when the black stones are strong enough for you."
            ),
            "..../...../..bb../..b..../..bb../...../.... contract 1 -",
            action="d5",
            lit={"d5": "wrong"},
            layout=_SMALL,
        ),
        RulesPicture(
            say("Coils may have any shape. What lies inside does not matter: empty cells, white stones, black stones."),
            "w.w./w.bb./wbb.b./.bw.wbw/.bwbb./wbbbw/.ww. main 1 1",
            layout=_SMALL,
        ),
        RulesPicture(
            say(
                "These are no coils: three stones side by side enclose no cell, "
                "and a loop can't use the edge of the board."
            ),
            "b.b./.bb../....w./..bb.w./..b.w./.w.../.... main 1 1",
            lit=dict.fromkeys(("a1", "a3", "b2", "b3", "d3", "d4", "e3"), "wrong"),
            layout=_SMALL,
        ),
    ),
    cover=RulesPicture("", "w.w./w.bb./wbb.b./.bw.wbw/.bwbb./wbbbw/.ww. main 1 1", layout=_SMALL),
    minutes=(15, 45),
    terms={
        say("coil"): say(
            "A loop of black stones with at least one cell inside. Seven black stones are one, too, "
            "if six of them surround the seventh."
        ),
        say("to pass"): say("To put no stone. The first pass settles who is Black; after it nobody passes."),
        say("cell"): say("A place for one stone. It has six neighbours, fewer at the edge."),
    },
)

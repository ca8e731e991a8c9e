"""How Octiles is explained to people who have never heard of it; the source of each sentence is octiles.md."""

from __future__ import annotations

from firmware_host.games.capabilities import HowToPlay, RulesPicture
from firmware_host.text.words import say

_START = "- blue:A1,A2,A3,A4,A5;yellow:F2,F3,F4,F5,F6 6,7,11,13,8,17,18,5,10,4,3,16,1,12,9,14,2,15 2 1"

HOW_TO_PLAY = HowToPlay(
    aim=say("Be the first with all your runners on the opposite side."),
    pictures=(
        RulesPicture(
            say(
                "In a game for two, Blue's runners start on the left and want to get to the right; "
                "Yellow's want to get to the left. Runners stand on stops and pads; tiles lie in the large wells."
            ),
            _START,
        ),
        RulesPicture(
            say(
                "Lay the top tile of the stack into any well, turned as you like. "
                "Then move one of your runners along a line that crosses this tile."
            ),
            _START,
            action="a2r5:A3-B2",
            done=True,
            lit={"a2": "target"},
        ),
        RulesPicture(
            say(
                "The line goes on over all tiles and printed paths on its way. "
                "It ends at the first stop or pad it meets."
            ),
            "a2:6r5,a3:11r4,b2:8r2,d2:13r1,e3:7r5,e4:17r2 blue:A1,A4,A5,B2,C2;yellow:D2,E3,E4,F5,F6 "
            "18,5,10,4,3,16,1,12,9,14,2,15 2 1",
            action="c2r2:A4-C3",
            done=True,
            lit={"c2": "target"},
        ),
        RulesPicture(
            say(
                "The stop at the end must be free; a line back to the stop where it began counts, too. "
                "At a well without a tile a line leads nowhere."
            ),
            "a2:6r5,a3:11r4,d2:13r1,e3:7r5 blue:A1,A4,A5,B2,B3;yellow:E4,F2,F4,F5,F6 "
            "8,17,18,5,10,4,3,16,1,12,9,14,2,15 2 1",
            lit={"b2": "wrong", "b3": "wrong"},
        ),
        RulesPicture(
            say("Of the pads, only those of your goal are open to you. A runner that has arrived there stays."),
            "a2:6r5,a3:10r3,b2:8r2,c1:3r1,c2:4r0,d2:13r1,d3:16r1,e3:7r5,e4:5r4 "
            "blue:A1,B3,C2,C3,D2;yellow:A4,D3,E3,E5,F6 1,12,9,14,2,15,17,11,18 2 1",
            action="d2r3:C2-F2",
            done=True,
            lit={"d2": "target", "F2": "best"},
        ),
        RulesPicture(
            say("Blue has won: all blue runners are on the pads on the right."),
            "a2:15r1,a3:4r0,b2:11r4,b3:13r6,c1:3r1,c2:9r5,c3:10r5,d1:18r5,d2:1r3,d3:5r4,d4:17r1,e3:7r5,e4:16r6 "
            "blue:F2,F3,F4,F5,F6;yellow:A1,A2,A4,A5,B2 6,14,12,8,2 2 1",
            lit=dict.fromkeys(("F2", "F3", "F4", "F5", "F6"), "won"),
        ),
        RulesPicture(
            say(
                "You may also cover a tile that lies already: take it out, lay yours, "
                "and put the old one under the stack."
            ),
            "a2:6r5,a3:11r4,b2:8r2,c2:18r2,d2:13r1,e3:7r5,e4:5r4 blue:A1,A5,B2,C2,C3;yellow:D2,E3,E4,E5,F6 "
            "10,4,3,16,1,12,9,14,2,15,17 2 1",
            action="a3r3:A5-B3",
            done=True,
            lit={"a3": "target"},
        ),
        RulesPicture(
            say(
                "While all five pads of your side are occupied, you have to move a runner off one of them, if you can."
            ),
            _START,
            lit=dict.fromkeys(("A1", "A2", "A3", "A4", "A5"), "movable"),
        ),
    ),
    cover=RulesPicture(
        "",
        "a2:6r5,a3:10r3,b2:8r2,c1:3r1,c2:4r0,d2:13r1,d3:16r1,e3:7r5,e4:5r4 "
        "blue:A1,B3,C2,C3,D2;yellow:A4,D3,E3,E5,F6 1,12,9,14,2,15,17,11,18 2 1",
    ),
    minutes=(20, 45),
    terms={
        say("runner"): say("A stone of your colour. With four players each has four runners, otherwise five."),
        say("well"): say("One of the large hollows. A tile fits into it, in eight ways."),
        say("tile"): say("An octagon with four lines, each from edge to edge. No two tiles are alike."),
        say("stop"): say("A place between the wells. Any runner may stop there."),
        say("pad"): say("A place at the rim of the board. Five pads are where you start, five are your goal."),
        say("goal"): say("The five pads on the side opposite yours."),
        say("stack"): say("The shuffled tiles beside the board. Only the top one is seen, and it is laid next."),
    },
)

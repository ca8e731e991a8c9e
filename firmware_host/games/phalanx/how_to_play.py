"""How Phalanx is explained to people who have never heard of it; the source of each sentence is phalanx.md."""

from __future__ import annotations

from firmware_host.games.capabilities import HowToPlay, RulesPicture
from firmware_host.text.words import say

HOW_TO_PLAY = HowToPlay(
    aim=say("Reach the corner behind the other side, or leave it no hoplites."),
    pictures=(
        RulesPicture(
            say(
                "The stones are soldiers, called hoplites. Black begins; Black's goal is the corner behind White, "
                "White's goal the corner behind Black."
            ),
            "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1",
            lit={"A9": 1, "J1": 2},
        ),
        RulesPicture(
            say(
                "In a turn you have up to three actions: move, add and push, as you like. "
                "Move: a hoplite goes to any empty point next to another hoplite of its army, however far away."
            ),
            "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1",
            action="H2-F3",
        ),
        RulesPicture(
            say(
                "Add: while you have fewer than nine hoplites on the board, "
                "you may put a new one on an empty point next to any of yours."
            ),
            "9/1ww6/1ww6/9/9/9/5bbb1/6b2/9 b 2 1",
            action="+F4",
            done=True,
            lit={"F4": "best"},
        ),
        RulesPicture(
            say(
                "Push: a line of your hoplites pushes a shorter line of the other side one point on. "
                "Here three push two."
            ),
            "9/9/5w3/1bbbww3/9/9/9/9/9 b 3 9",
            action="B6>e",
        ),
        RulesPicture(
            say(
                "A hoplite without a neighbour of its own side is dead and leaves the board. "
                "So keep your army together, and break up the other one."
            ),
            "9/9/9/2bbbw3/5w3/9/9/9/9 b 3 9",
            action="C6>e",
            done=True,
            lit={"G6": "remove", "F5": "remove"},
        ),
        RulesPicture(
            say(
                "Black has won: a black hoplite stands next to Black's goal. The game ends at once, even within a turn."
            ),
            "1bb6/9/4ww3/4w4/9/9/9/9/9 b 2 15",
            lit={"A9": 1, "B9": "won"},
        ),
        RulesPicture(
            say(
                "There is no push against a line that is as long as yours or longer, "
                "nor when one of your own hoplites stands right behind it."
            ),
            "9/9/9/2bbwww2/4w4/9/9/9/9 b 3 9",
            lit={"C6": "movable", "D6": "movable", "E6": "wrong", "F6": "wrong", "G6": "wrong"},
        ),
        RulesPicture(
            say("A hoplite that is pushed off the board, or onto a goal, is dead, too. It can be added again later."),
            "9/9/9/5bbbw/8w/8w/9/9/9 b 3 9",
            action="F6>e",
            lit={"J6": "remove"},
        ),
    ),
    cover=RulesPicture("", "9/9/2wwww3/1bbbw4/1b1bw4/1b7/9/9/9 b 3 9"),
    minutes=(20, 40),
    terms={
        say("hoplite"): say("A soldier of ancient Greece; here a stone. Each side has nine."),
        say("army"): say("Two or more hoplites of one side that are connected. It is also called a phalanx."),
        say("goal"): say("A corner of the board. Nobody may stand on it; a hoplite next to its own goal wins."),
        say("to push"): say("To slide a line of hoplites, and a shorter line of the other side with it, one point on."),
        say("dead"): say("Alone, off the board or on a goal. A dead hoplite may be added again later."),
        say("action"): say("A move, an added hoplite or a push. A turn has up to three, and you may end it earlier."),
    },
)

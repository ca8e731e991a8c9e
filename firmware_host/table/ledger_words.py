"""Sentences of the history for some entries."""

from __future__ import annotations

from firmware_host.text.words import say

BY_PEOPLE = {"player": say("a player says so"), "host": say("the host says so")}
"""Who wants a sensor ignored."""
OLD_BY_PEOPLE = {"a player says so": "player", "the host says so": "host"}
"""The same as journals of earlier versions have it."""
VOID = {
    "agreement": say("All seals of this turn are void; everybody seals again."),
    "host": say("The host has declared this turn void; everybody seals again."),
}
TAKEN_BACK = {
    "hand": say("Taken back by hand."),
    "agreement": say("Taken back by agreement."),
    "host": say("Taken back by the host."),
}
TIME_IS_UP = {
    None: say("{name}'s time is up; the game goes on."),
    "seal": say("{name}'s time is up: a placement drawn by lot is sealed."),
    "act": say("{name}'s time is up: what is done in this turn is drawn by lot."),
}
RESIGNED = {
    None: say("{name} resigns."),
    "time": say("{name}'s time is up: the game is lost for {name}."),
}

"""The household's book: who has played what, with whom, and how it ended. It is made of the summaries alone.

Beside the games it shows who has solved which puzzles (:mod:`firmware_host.archive.solved`).

Finished games count in which a person played and each seat was played by one player to the end. People are told apart
as at the table: by what their names look like. Who was forgotten in a game still counts as an opponent there, as
somebody: nobody else's results or ratings change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from firmware_host.archive.glicko import Rating
from firmware_host.archive.solved import Solver
from firmware_host.archive.summary import GameSummary, titled
from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from firmware_host.table.names import looks
from firmware_host.text.words import Text, listed, say

ENOUGH = 5
"""So many games of one kind give somebody a rating."""
BEST_OF = (3, 5)
"""How many games at most a series has."""
Forgotten = Mapping[str, Collection[int]]
"""The seats of a game (by its id) whose players were forgotten."""


@dataclass(frozen=True)
class Player:
    """Who played. ``key`` tells players apart; ``level`` of a computer, 0: it has none, None: a person."""

    key: str
    name: str = field(compare=False)
    level: int | None = None
    forgotten: bool = False

    @property
    def words(self) -> str:
        """Return what the book calls this player."""
        if self.forgotten:
            return say("somebody")
        if self.level is None:
            return self.name
        return say("Computer, level {level}", level=self.level) if self.level else say("Computer")


@dataclass(frozen=True)
class Played:
    """A game that counts: ``sides`` are players or teams, each player with the seat; ``winners`` index ``sides``."""

    id: str
    game: str
    mode: str
    started: str
    ended: str
    sides: tuple[tuple[tuple[int, Player], ...], ...]
    winners: frozenset[int]

    @property
    def players(self) -> list[tuple[int, int, Player]]:
        """Return (side, seat, player) of everybody."""
        return [(side, seat, player) for side, those in enumerate(self.sides) for seat, player in those]

    def score(self, side: int) -> float:
        """Return 1 for a side that has won, 0 for one that has lost, 0.5 for a draw."""
        if not self.winners or len(self.winners) == len(self.sides):
            return 0.5
        return 1.0 if side in self.winners else 0.0

    def between(self, side: int, other: int) -> float | None:
        """Return the score of a side against another one, None where both have lost to a third."""
        if not self.score(side) and not self.score(other):
            return None
        return 0.5 + (self.score(side) - self.score(other)) / 2


@dataclass
class Tally:
    """Games won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def played(self) -> int:
        """Return how many there are."""
        return self.won + self.drawn + self.lost

    def add(self, score: float) -> None:
        """Count one more."""
        if score == 0.5:
            self.drawn += 1
        elif score:
            self.won += 1
        else:
            self.lost += 1


@dataclass
class GameLine:
    """What somebody has done in one game, by mode and by opponent; ``rating`` is None before there are enough."""

    game: str
    title: str
    tally: Tally = field(default_factory=Tally)
    modes: dict[str, Tally] = field(default_factory=dict)
    opponents: dict[str, Tally] = field(default_factory=dict)
    rating: Rating | None = None


@dataclass
class Person:
    """Somebody of the household, as the name was written last; ``last`` is when a game ended last."""

    name: str
    last: str = ""
    games: dict[str, GameLine] = field(default_factory=dict)

    @property
    def played(self) -> int:
        """Return how many games there are."""
        return sum(line.tally.played for line in self.games.values())


@dataclass(frozen=True)
class Series:
    """How the two sides stand that met last: games won by each and drawn, since a best of five began.

    ``best`` tells of each length the side (0 or 1) that has won it, None while it is open.
    """

    title: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    won: tuple[int, int]
    drawn: int
    best: Mapping[int, int | None]


@dataclass(frozen=True)
class Book:
    """The book: people by name, games as they ended, the series of those who met last, and who has solved puzzles."""

    people: Sequence[Person]
    games: Sequence[Played]
    series: Series | None
    solvers: Sequence[Solver] = ()


def book_of(summaries: Iterable[GameSummary], forgotten: Forgotten | None = None) -> Book:
    """Make the book; in which order the summaries come does not matter."""
    played = [one for one in (_played(summary, forgotten or {}) for summary in summaries) if one is not None]
    played.sort(key=lambda one: (one.ended, one.id))
    people: dict[str, Person] = {}
    for game in played:
        for side, _, player in game.players:
            if player.level is None and not player.forgotten:
                _enter(people.setdefault(player.key, Person(player.name)), player.name, game, side)
    for (name, key), rating in _ratings(played).items():
        person = people.get(key)
        if person is not None and person.games[name].tally.played >= ENOUGH:
            person.games[name].rating = rating
    return Book(sorted(people.values(), key=lambda one: (looks(one.name), one.name)), played, _series(played))


def seats_of(summaries: Iterable[GameSummary], name: str, forgotten: Forgotten) -> dict[str, list[int]]:
    """Return every seat in which a person of this name has sat and is not forgotten yet, by game, over or not."""
    found = {
        one.id: [
            seat
            for seat, known in one.seats.items()
            if looks(known) == looks(name) and seat not in one.computers and seat not in forgotten.get(one.id, ())
        ]
        for one in summaries
    }
    return {game: seats for game, seats in found.items() if seats}


def _played(summary: GameSummary, forgotten: Forgotten) -> Played | None:
    """Return a game that counts, None for one that does not."""
    known = len(summary.computers) < len(summary.seats) and not summary.changed
    if summary.state != "finished" or summary.ended is None or not known:
        return None
    hidden = forgotten.get(summary.id, ())
    sides = tuple(
        tuple((seat, _player(summary, seat, seat in hidden)) for seat in seats if seat in summary.seats)
        for seats in _teams(summary)
    )
    winners = {side for side, those in enumerate(sides) if any(seat in summary.winners for seat, _ in those)}
    if len(sides) < 2:
        return None
    return Played(summary.id, summary.game, summary.mode, summary.started, summary.ended, sides, frozenset(winners))


def _teams(summary: GameSummary) -> Sequence[tuple[int, ...]]:
    """Return the seats of each side; of a game that this program does not know, everybody plays alone."""
    try:
        return find_game(summary.game, summary.rules).teams(summary.mode)
    except GameError:
        return [(seat,) for seat in sorted(summary.seats)]


def _player(summary: GameSummary, seat: int, hidden: bool) -> Player:
    name = summary.seats[seat]
    if seat in summary.computers:
        level = summary.computers[seat]
        return Player(f"computer {level}", name, level)
    return Player(f"{'somebody' if hidden else 'person'} {looks(name)}", name, forgotten=hidden)


def _enter(person: Person, name: str, game: Played, side: int) -> None:
    person.name, person.last = name, game.ended
    line = person.games.setdefault(game.game, GameLine(game.game, titled(game.game, {})))
    score = game.score(side)
    line.tally.add(score)
    line.modes.setdefault(game.mode, Tally()).add(score)
    against: dict[str, float] = {}
    for other, _, player in game.players:
        met = game.between(side, other) if other != side else None
        if met is not None:  # Two opponents that are called the same are one: the better one counts.
            against[player.words] = min(met, against.get(player.words, met))
    for words, met in against.items():
        line.opponents.setdefault(words, Tally()).add(met)


# -- ratings -----------------------------------------------------------------------------------------------------------


def _ratings(played: Iterable[Played]) -> dict[tuple[str, str], Rating]:
    """Return the rating of every (game, player's key) after the last game. A calendar month is a rating period.

    Within a month the order of games does not matter. Who is on a side meets everybody on each other side; two sides
    that have both lost to a third say nothing about each other.
    """
    months: dict[tuple[str, int], list[Played]] = defaultdict(list)
    for one in played:
        months[one.game, 12 * int(one.ended[:4]) + int(one.ended[5:7])].append(one)
    kept: dict[tuple[str, str], tuple[int, Rating]] = {}
    for (name, month), games in sorted(months.items(), key=lambda item: item[0][1]):
        results = _results(games)
        before = {key: _at(kept.get((name, key)), month) for key in results}
        for key, scores in results.items():
            rating = before[key].after([(before[other], score) for other, score in scores])
            kept[name, key] = month, rating
    return {who: rating for who, (_, rating) in kept.items()}


def _results(games: Iterable[Played]) -> dict[str, list[tuple[str, float]]]:
    """Return of each player's key whom they met (by key) and with which score."""
    results: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for game in games:
        for side, _, player in game.players:
            for other, _, against in game.players:
                score = game.between(side, other)
                if side != other and score is not None and player.key != against.key:
                    results[player.key].append((against.key, score))
    return {key: sorted(scores) for key, scores in results.items()}


def _at(known: tuple[int, Rating] | None, month: int) -> Rating:
    """Return a rating as it is at the beginning of a month."""
    return Rating() if known is None else known[1].rested(month - known[0] - 1)


# -- the series --------------------------------------------------------------------------------------------------------


def _series(played: Sequence[Played]) -> Series | None:
    """Return how those stand that met last, of two sides; a series of five that is decided is followed by a new one."""
    if not played or len(played[-1].sides) != 2:
        return None
    last = played[-1]
    sides = [_keys(last, 0), _keys(last, 1)]
    run: list[Played] = []
    for game in reversed(played):
        if game.game != last.game or sorted(_keys(game, side) for side in range(len(game.sides))) != sorted(sides):
            break
        run.append(game)
    won, drawn, best = [0, 0], 0, dict[int, int | None]()
    for game in reversed(run):
        if not best or best[BEST_OF[-1]] is not None:
            won, drawn, best = [0, 0], 0, dict.fromkeys(BEST_OF)
        if game.score(0) == 0.5:
            drawn += 1
            continue
        winner = sides.index(_keys(game, min(game.winners)))
        won[winner] += 1
        best = {most: winner if who is None and won[winner] > most // 2 else who for most, who in best.items()}
    names = tuple(tuple(player.words for _, player in side) for side in last.sides)
    return Series(titled(last.game, {}), (names[0], names[1]), (won[0], won[1]), drawn, best)


def _keys(game: Played, side: int) -> tuple[str, ...]:
    return tuple(sorted(player.key for _, player in game.sides[side]))


def standing(series: Series) -> list[Text]:
    """Say how a series stands: how it is now, then each length."""
    named = [listed(side) for side in series.sides]
    score = say(
        "{game}: {one} {won}, {other} {lost}.",
        game=series.title, one=named[0], won=series.won[0], other=named[1], lost=series.won[1],
    )  # fmt: skip
    said = [score, say("Drawn: {count}.", count=series.drawn)] if series.drawn else [score]
    for most, winner in series.best.items():
        if winner is not None:
            said.append(say("Best of {games}: won by {names}.", games=most, names=named[winner]))
        else:
            left = [most // 2 + 1 - won for won in series.won]
            named_left = {"one": named[0], "few": left[0], "other": named[1], "many": left[1]}
            said.append(say("Best of {games}: {one} needs {few} more, {other} {many}.", games=most, **named_left))
    return said

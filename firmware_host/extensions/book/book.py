"""The household's book: players, games, opponents and results, made from the games' summaries only.

Beside the games it shows who has solved which puzzles (:mod:`firmware_host.link.solved`).

A finished game counts if a person took part and each seat was played by one player to the end. Two names are the same
person if they look the same, as at the table. A forgotten player still counts as an opponent, as "somebody": nobody
else's results or ratings change.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.archive.summary import GameSummary, full_title
from firmware_host.games.game import GameError
from firmware_host.games.levels import NO_LEVEL
from firmware_host.games.registry import game as find_game
from firmware_host.link.glicko import Rating
from firmware_host.link.solved import Solver
from firmware_host.table.ledger import levels_of
from firmware_host.table.subjects.seats import name_key
from firmware_host.text.words import Text, list_of, say

ENOUGH = 5
"""Minimum number of a person's games of one kind for a rating."""
IN_PERIOD = 15
"""Maximum number of a player's games in one rating period: the more, the less exact the one step of a period."""
BEST_OF = (3, 5)
"""Lengths of a series: the maximum number of decided games."""
Forgotten = Mapping[str, Collection[int]]
"""Game id → seats whose players were forgotten."""


@dataclass(frozen=True)
class BookPlayer:
    """A player. ``key`` identifies the player; ``level`` is a computer's (0: it has none), None for a person.

    ``strength`` is the name of the level in its game.
    """

    key: str
    name: str = field(compare=False)
    level: int | None = None
    forgotten: bool = False
    strength: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """Return the player's name in the book."""
        if self.forgotten:
            return say("somebody")
        if self.level is None:
            return self.name
        if self.level == NO_LEVEL:
            return say("Computer")
        return say("Computer ({level})", level=self.strength or say("level {level}", level=self.level))


@dataclass(frozen=True)
class CountedGame:
    """A game that counts: ``sides`` are players or teams, each player with the seat; ``winners`` index ``sides``."""

    id: str
    game: str
    mode: str
    started: str
    ended: str
    end: int
    """The place of its end among those of all games."""
    sides: tuple[tuple[tuple[int, BookPlayer], ...], ...]
    winners: frozenset[int]

    @property
    def players(self) -> list[tuple[int, int, BookPlayer]]:
        """Return (side, seat, player) of all players."""
        return [(side, seat, player) for side, those in enumerate(self.sides) for seat, player in those]

    def score(self, side: int) -> float:
        """Return 1 for a won game of a side, 0 for a lost one, 0.5 for a draw."""
        if not self.winners or len(self.winners) == len(self.sides):
            return 0.5
        return 1.0 if side in self.winners else 0.0

    def between(self, side: int, other: int) -> float | None:
        """Return the score (0, 0.5 or 1) of a side against another one, None if both have lost to a third."""
        if not self.score(side) and not self.score(other):
            return None
        return 0.5 + (self.score(side) - self.score(other)) / 2


@dataclass
class GameTally:
    """Games won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def total(self) -> int:
        """Return the number of games."""
        return self.won + self.drawn + self.lost

    def add(self, score: float) -> None:
        """Count one more game."""
        if score == 0.5:
            self.drawn += 1
        elif score:
            self.won += 1
        else:
            self.lost += 1


@dataclass
class GameLine:
    """A person's results in one game, by mode and by opponent; ``rating`` is None before ``ENOUGH`` games."""

    game: str
    title: str
    tally: GameTally = field(default_factory=GameTally)
    modes: dict[str, GameTally] = field(default_factory=dict)
    opponents: dict[str, GameTally] = field(default_factory=dict)
    rating: Rating | None = None


@dataclass
class Person:
    """A person of the household, with the latest spelling of the name; ``last`` is the time of the last game's end."""

    name: str
    last: str = ""
    games: dict[str, GameLine] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Return the number of games of all kinds."""
        return sum(line.tally.total for line in self.games.values())


@dataclass(frozen=True)
class Series:
    """The present series of the two sides that met last: games won by each and drawn, since a best of five began.

    ``best`` maps each length to the side (0 or 1) that has won it, None while it is open.
    """

    title: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    won: tuple[int, int]
    drawn: int
    best: Mapping[int, int | None]


@dataclass(frozen=True)
class Book:
    """The book: people by name, games in the order of their ends, and the last series, and the puzzles solved."""

    people: Sequence[Person]
    games: Sequence[CountedGame]
    series: Series | None
    solvers: Sequence[Solver] = ()


def book_of(summaries: Iterable[GameSummary], forgotten: Forgotten | None = None) -> Book:
    """Return the book; the order of the summaries does not matter."""
    played = [one for one in (_counted_game(summary, forgotten or {}) for summary in summaries) if one is not None]
    played.sort(key=lambda one: (one.end, one.id))
    people: dict[str, Person] = {}
    for game in played:
        for side, _, player in game.players:
            if player.level is None and not player.forgotten:
                _enter(people.setdefault(player.key, Person(player.name)), player.name, game, side)
    for (name, key), rating in _ratings(played).items():
        person = people.get(key)
        if person is not None and person.games[name].tally.total >= ENOUGH:
            person.games[name].rating = rating
    return Book(sorted(people.values(), key=lambda one: (name_key(one.name), one.name)), played, _series(played))


def seats_of(summaries: Iterable[GameSummary], name: str, forgotten: Forgotten) -> dict[str, list[int]]:
    """Return game id → seats that a person of this name holds and that are not forgotten yet, in all games."""
    found = {
        one.id: [
            seat
            for seat, known in one.seats.items()
            if name_key(known) == name_key(name) and seat not in one.computers and seat not in forgotten.get(one.id, ())
        ]
        for one in summaries
    }
    return {game: seats for game, seats in found.items() if seats}


def _counted_game(summary: GameSummary, forgotten: Forgotten) -> CountedGame | None:
    """Return a game if it counts, else None."""
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
    return CountedGame(
        summary.id, summary.game, summary.mode, summary.started, summary.ended, summary.end, sides, frozenset(winners)
    )


def _teams(summary: GameSummary) -> Sequence[tuple[int, ...]]:
    """Return the seats of each side; in a game unknown to this program every seat is a side."""
    try:
        return find_game(summary.game, summary.rules).teams(summary.mode)
    except GameError:
        return [(seat,) for seat in sorted(summary.seats)]


def _player(summary: GameSummary, seat: int, hidden: bool) -> BookPlayer:
    name = summary.seats[seat]
    if seat in summary.computers:
        level = summary.computers[seat]
        return BookPlayer(f"computer {level}", name, level, strength=_level_name(summary.game, level))
    return BookPlayer(f"{'somebody' if hidden else 'person'} {name_key(name)}", name, forgotten=hidden)


def _enter(person: Person, name: str, game: CountedGame, side: int) -> None:
    person.name, person.last = name, game.ended
    line = person.games.setdefault(game.game, GameLine(game.game, full_title(game.game, {})))
    score = game.score(side)
    line.tally.add(score)
    line.modes.setdefault(game.mode, GameTally()).add(score)
    against: dict[str, float] = {}
    for other, _, player in game.players:
        met = game.between(side, other) if other != side else None
        if met is not None:  # Opponents of the same name count once, with the lower score against them.
            against[player.words] = min(met, against.get(player.words, met))
    for words, met in against.items():
        line.opponents.setdefault(words, GameTally()).add(met)


# -- ratings -----------------------------------------------------------------------------------------------------------


def _ratings(played: Sequence[CountedGame]) -> dict[tuple[str, str], Rating]:
    """Return the rating of every (game, player's key) after the last game.

    Each player of a side meets each player of the other sides, except where both sides have lost to a third.
    """
    kept: dict[tuple[str, str], tuple[int, Rating]] = {}
    for name, month, games in _periods(played):
        results = _results(games)
        before = {key: _at(kept.get((name, key)), month) for key in results}
        for key, scores in results.items():
            rating = before[key].after([(before[other], score) for other, score in scores])
            kept[name, key] = month, rating
    return {who: rating for who, (_, rating) in kept.items()}


def _periods(played: Sequence[CountedGame]) -> Iterator[tuple[str, int, Sequence[CountedGame]]]:
    """Yield the rating periods in order as (game, number of the month, games); ``played``: in the order of their ends.

    A calendar month is a period. The next one begins within the month when a player would have more than
    ``IN_PERIOD`` games, so that a later game never moves an earlier one to another period. Within a period the order of
    games does not matter.
    """
    months: dict[tuple[int, str], list[CountedGame]] = defaultdict(list)
    for one in played:
        months[12 * int(one.ended[:4]) + int(one.ended[5:7]), one.game].append(one)
    for (month, name), games in sorted(months.items(), key=lambda item: item[0]):
        period: list[CountedGame] = []
        count = Counter[str]()
        for game in games:
            keys = {player.key for _, _, player in game.players}
            if any(count[key] >= IN_PERIOD for key in keys):
                yield name, month, period
                period, count = [], Counter()
            period.append(game)
            count.update(keys)
        yield name, month, period


def _results(games: Iterable[CountedGame]) -> dict[str, list[tuple[str, float]]]:
    """Return player's key → list of (opponent's key, score)."""
    results: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for game in games:
        for side, _, player in game.players:
            for other, _, against in game.players:
                score = game.between(side, other)
                if side != other and score is not None and player.key != against.key:
                    results[player.key].append((against.key, score))
    return {key: sorted(scores) for key, scores in results.items()}


def _at(known: tuple[int, Rating] | None, month: int) -> Rating:
    """Return a rating at the beginning of a month; ``known`` is (month of the last game, rating after it)."""
    return Rating() if known is None else known[1].after_rest(month - known[0] - 1)


# -- the series --------------------------------------------------------------------------------------------------------


def _series(played: Sequence[CountedGame]) -> Series | None:
    """Return the series of the last game's two sides, None for more sides. A decided best of five starts a new one."""
    if not played or len(played[-1].sides) != 2:
        return None
    last = played[-1]
    sides = [_keys(last, 0), _keys(last, 1)]
    run: list[CountedGame] = []
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
    return Series(full_title(last.game, {}), (names[0], names[1]), (won[0], won[1]), drawn, best)


def _keys(game: CountedGame, side: int) -> tuple[str, ...]:
    return tuple(sorted(player.key for _, player in game.sides[side]))


def standing(series: Series) -> list[Text]:
    """Return the score of a series in sentences: the games won, those drawn, then each length."""
    named = [list_of(side) for side in series.sides]
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
            said.append(
                say("Best of {games}, wins still needed: {one} {few}, {other} {many}.", games=most, **named_left)
            )
    return said


# -- The household's book as data: JSON with the page's tables and every game, CSV with a row f ------------------------


FORM = 1
RESULTS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
COLUMNS = ("game_id", "game", "mode", "started", "ended", "seat", "side", "name", "computer", "level", "result")
_FORMULA = ("=", "+", "-", "@")
"""First characters of cells that a spreadsheet would compute as formulas."""


def as_data(book: Book) -> dict[str, Any]:
    """Return the book ready for JSON; times are UTC, ratings in points, best times in seconds."""
    people = [
        {"name": one.name, "last": one.last, "games": [_line(line) for line in one.games.values()]}
        for one in book.people
    ]
    puzzles = [
        {"name": one.name, "solved": one.solved, "streak": one.streak, "best": dict(one.best)} for one in book.solvers
    ]
    return {"book": FORM, "people": people, "games": [_game(game) for game in book.games], "puzzles": puzzles}


def as_csv(book: Book) -> str:
    """Return CSV (RFC 4180) with a header and a row for every seat of every game."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for game in book.games:
        form = _game(game)
        head = [form[name] for name in ("id", "game", "mode", "started", "ended")]
        for seat in form["seats"]:
            row = [seat["seat"], seat["side"], _cell(seat["name"]), seat["computer"], seat["level"], seat["result"]]
            table.writerow([*head, *row])
    return out.getvalue()


def _cell(name: str) -> str:
    return f"'{name}" if name.startswith(_FORMULA) else name


def _game(game: CountedGame) -> dict[str, Any]:
    seats = [
        {
            "seat": seat,
            "side": side + 1,
            "name": _name(player),
            "computer": player.level is not None,
            "level": None if player.level == NO_LEVEL else player.level,
            "result": RESULTS[game.score(side)],
        }
        for side, seat, player in game.players
    ]
    kept = {name: getattr(game, name) for name in ("id", "game", "mode", "started", "ended")}
    return {**kept, "seats": sorted(seats, key=lambda one: one["seat"])}


def _name(player: BookPlayer) -> str:
    return player.name if player.level is not None and not player.forgotten else str(player.words)


def _line(line: GameLine) -> dict[str, Any]:
    return {
        "game": line.game,
        "title": line.title,
        **_tally(line.tally),
        "rating": _rating(line.rating),
        "modes": [{"mode": mode, **_tally(tally)} for mode, tally in sorted(line.modes.items())],
        "opponents": [{"name": str(name), **_tally(tally)} for name, tally in sorted(line.opponents.items())],
    }


def _tally(tally: GameTally) -> Mapping[str, int]:
    return {"won": tally.won, "drawn": tally.drawn, "lost": tally.lost}


def _rating(rating: Rating | None) -> dict[str, float] | None:
    if rating is None:
        return None
    numbers = {"points": rating.points, "deviation": rating.deviation, "volatility": rating.volatility}
    return {name: round(value, 4) for name, value in numbers.items()}


def _level_name(game: str, level: int) -> str:
    """Return the name of a computer's level; empty for a level or a game that this program does not have."""
    try:
        known = levels_of(find_game(game))
    except GameError:
        return ""
    return next((one.name for one in known if one.number == level), "")

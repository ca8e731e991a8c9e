"""The club's archive in SQL: all acts, and all verified records. SQLite or PostgreSQL, by one text (SQLAlchemy Core).

Rows are only ever added. Two programs that write the same database can't both add the same act: its tournament and
number are the key, so the second one is refused, reads again, and goes on from there.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from firmware_host.extensions.club.judging import FinishedGame, begins_given
from firmware_host.extensions.club.tournament import Act
from firmware_host.text.words import Refused

SCHEMA = 3
_DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg", "sqlite": "sqlite"}

_POSTGRES = {"connect_timeout": 5, "options": "-c statement_timeout=5000", "keepalives_idle": 10}
_PATIENCE: Mapping[str, dict[str, Any]] = {"postgresql": _POSTGRES, "postgres": _POSTGRES, "sqlite": {"timeout": 5.0}}
"""A database that does not answer must not stop the page for long: seconds, and milliseconds for a statement."""

_metadata = sql.MetaData()
_about = sql.Table("club_schema", _metadata, sql.Column("version", sql.Integer, primary_key=True))
_acts = sql.Table(
    "club_act",
    _metadata,
    sql.Column("tournament", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("at", sql.String(40), nullable=False),
    sql.Column("kind", sql.String(20), nullable=False),
    sql.Column("data", sql.Text, nullable=False),
)
_records = sql.Table(
    "club_record",
    _metadata,
    sql.Column("digest", sql.String(64), primary_key=True),
    sql.Column("game_id", sql.String(64), nullable=False, index=True),
    sql.Column("entries", sql.Integer, nullable=False),
    sql.Column("table_key", sql.String(64), nullable=False, index=True),
    sql.Column("table_name", sql.String(24), nullable=False),
    sql.Column("game", sql.String(64), nullable=False),
    sql.Column("rules", sql.Text, nullable=False),
    sql.Column("mode", sql.String(40), nullable=False),
    sql.Column("seats", sql.Text, nullable=False),
    sql.Column("winners", sql.Text, nullable=False),
    sql.Column("reason", sql.String(200), nullable=False),
    sql.Column("started", sql.String(40), nullable=False),
    sql.Column("received", sql.String(40), nullable=False, index=True),
    sql.Column("turns", sql.Integer, nullable=False),
    sql.Column("changed", sql.Boolean, nullable=False),
    sql.Column("text", sql.Text, nullable=False),
    sql.Column("number", sql.Integer),
    sql.Column("given", sql.Boolean),
)
_DESCRIBED = [column for column in _records.columns if column.name != "text"]
_by_number = sql.Index("club_record_number", _records.c.number, unique=True)


class ArchiveError(RuntimeError):
    """The database can't be read or written now; the message says which and why."""


class Overtaken(ArchiveError):
    """Another program has written the same act first."""


@dataclass(frozen=True)
class KeptRecord(FinishedGame):
    """A verified record of a finished game: what it says, and where it came from; without its text."""

    digest: str
    """SHA-256 of its text."""
    entries: int
    """The number of the game's entries at its table, which grows if its end is taken back."""
    table: str
    """The public key of the table that has sent it."""
    table_name: str
    received: str
    """When it came, UTC in ISO 8601, for people."""
    number: int
    """Its place among all records, from 1: what came later has a higher one, whatever a clock says."""


class Archive:
    """The database of one club. Thread-safe, as SQLAlchemy's engines are."""

    def __init__(self, url: str) -> None:
        """Open it, and make its tables if there are none. Raise Refused."""
        self._engine = _engine(url)
        self.place = self._engine.url.set(drivername=self._engine.dialect.name).render_as_string(hide_password=True)
        """Where it is: an address that opens it again, from any folder."""
        try:
            _metadata.create_all(self._engine)
            with self._engine.begin() as connection:
                version = connection.execute(sql.select(_about.c.version)).scalar()
                if version is None:
                    connection.execute(_about.insert().values(version=SCHEMA))
                elif version in {1, 2}:
                    if version == 1:
                        _number_records(connection)
                    _mark_given(connection)
                    version = SCHEMA
        except SQLAlchemyError as error:
            self._engine.dispose()
            raise Refused(f"--database: {self.place} can't be opened: {_reason(error)}") from error
        if version not in {None, SCHEMA}:
            self._engine.dispose()
            raise Refused(f"--database: {self.place}: an archive of version {version}, this program knows {SCHEMA}")

    def acts(self, tournament: int | None = None) -> dict[int, list[Act]]:
        """Return tournament → its acts in order; of one tournament or of all. Raise ArchiveError."""
        query = sql.select(_acts).order_by(_acts.c.tournament, _acts.c.number)
        if tournament is not None:
            query = query.where(_acts.c.tournament == tournament)
        found: dict[int, list[Act]] = {}
        with self._transaction() as connection:
            for row in connection.execute(query):
                act = Act(row.tournament, row.number, row.at, row.kind, json.loads(row.data))
                found.setdefault(row.tournament, []).append(act)
        return found

    def add_acts(self, acts: Sequence[Act]) -> None:
        """Write acts, all or none, durably. Raise Overtaken or ArchiveError."""
        rows = [
            {
                "tournament": one.tournament,
                "number": one.number,
                "at": one.at,
                "kind": one.kind,
                "data": _json(one.data),
            }
            for one in acts
        ]
        with self._transaction() as connection:
            connection.execute(_acts.insert(), rows)

    def add_record(self, record: KeptRecord, text: str) -> KeptRecord:
        """Keep a record, unless it is kept already; return it as it is kept, with its number. Raise ArchiveError."""
        row = {
            "digest": record.digest,
            "game_id": record.game_id,
            "entries": record.entries,
            "table_key": record.table,
            "table_name": record.table_name,
            "game": record.game,
            "rules": _json(record.rules),
            "mode": record.mode,
            "seats": _json({str(seat): list(sitting) for seat, sitting in record.seats.items()}),
            "winners": _json(list(record.winners)),
            "reason": record.reason,
            "started": record.started,
            "received": record.received,
            "turns": record.turns,
            "changed": record.changed,
            "given": record.given,
            "text": text,
        }
        while True:
            try:
                with self._transaction() as connection:
                    query = sql.select(*_DESCRIBED).where(_records.c.digest == record.digest)
                    known = connection.execute(query).one_or_none()
                    if known is not None:
                        return _record_of(known)
                    number = 1 + _last_number(connection)
                    connection.execute(_records.insert(), [{**row, "number": number}])
                    return replace(record, number=number)
            except Overtaken:
                continue  # Another program has taken the number.

    def last_record(self) -> int:
        """Return the number of the last record, 0 without any. Raise ArchiveError."""
        with self._transaction() as connection:
            return _last_number(connection)

    def records(self, *, most: int | None = None) -> list[KeptRecord]:
        """Return what is known of the records, the latest first. Raise ArchiveError."""
        query = sql.select(*_DESCRIBED).order_by(_records.c.number.desc()).limit(most)
        with self._transaction() as connection:
            return [_record_of(row) for row in connection.execute(query)]

    def record_text(self, digest: str) -> str | None:
        """Return a record's text, None for an unknown one. Raise ArchiveError."""
        with self._transaction() as connection:
            found = connection.execute(sql.select(_records.c.text).where(_records.c.digest == digest)).scalar()
            return None if found is None else str(found)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[sql.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise Overtaken(f"{self.place}: written by another program: {_reason(error)}") from error
        except SQLAlchemyError as error:
            raise ArchiveError(f"{self.place}: {_reason(error)}") from error


def _last_number(connection: sql.Connection) -> int:
    return int(connection.execute(sql.select(sql.func.max(_records.c.number))).scalar() or 0)


def _number_records(connection: sql.Connection) -> None:
    """Bring an archive of version 1 up to date, where a clock said what came later: its order becomes numbers.

    A kill leaves what can be begun again.
    """
    if "number" not in {one["name"] for one in sql.inspect(connection).get_columns(_records.name)}:
        connection.execute(sql.text(f"ALTER TABLE {_records.name} ADD COLUMN number INTEGER"))
    known = connection.execute(sql.select(_records.c.digest, _records.c.received)).all()
    ordered = sorted((row.received, row.digest) for row in known)
    for number, (_, digest) in enumerate(ordered, 1):
        connection.execute(_records.update().where(_records.c.digest == digest).values(number=number))
    _by_number.create(connection, checkfirst=True)
    for act in connection.execute(sql.select(_acts).where(_acts.c.kind == "pair")).all():
        data = {**json.loads(act.data), "records": bisect_left(ordered, (act.at, ""))}
        here = (_acts.c.tournament == act.tournament) & (_acts.c.number == act.number)
        connection.execute(_acts.update().where(here).values(data=_json(data)))


def _mark_given(connection: sql.Connection) -> None:
    """Make of an archive of version 2, which does not say which games began in a position that was set up, this one.

    A kill leaves what can be begun again.
    """
    if "given" not in {one["name"] for one in sql.inspect(connection).get_columns(_records.name)}:
        connection.execute(sql.text(f"ALTER TABLE {_records.name} ADD COLUMN given BOOLEAN"))
    for digest in connection.execute(sql.select(_records.c.digest)).scalars().all():
        here = _records.c.digest == digest
        lines = str(connection.execute(sql.select(_records.c.text).where(here)).scalar()).splitlines()
        given = any(begins_given(json.loads(line)) for line in lines if '"given"' in line)
        connection.execute(_records.update().where(here).values(given=given))
    connection.execute(_about.update().values(version=SCHEMA))


def _engine(url: str) -> sql.Engine:
    """Return an engine for ``sqlite:///PATH`` or ``postgresql://HOST/NAME``. Raise Refused."""
    scheme, mark, rest = url.partition("://")
    try:
        if not mark or scheme not in _DRIVERS:
            raise ArgumentError("another scheme")
        found = sql.make_url(f"{_DRIVERS[scheme]}://{rest}")
        if found.password is not None:
            raise Refused("--database: the password belongs into ~/.pgpass, not into the address: others get to see it")
        if scheme == "sqlite" and found.database:
            found = found.set(database=str(Path(found.database).absolute()))
        engine = sql.create_engine(found, pool_pre_ping=True, connect_args=_PATIENCE[scheme])
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise Refused(
            f"--database: expected sqlite:///PATH or postgresql://USER@HOST/NAME, got {url[:80]!r}"
        ) from error
    except ImportError as error:
        raise Refused("--database: PostgreSQL needs the library psycopg: pip install 'psycopg[binary]'") from error
    if scheme == "sqlite":
        sql.event.listen(engine, "connect", _durable)
        if found.database:
            Path(found.database).parent.mkdir(parents=True, exist_ok=True)
    return engine


def _durable(connection: Any, _record: Any) -> None:
    """Let SQLite's readers and its writer not wait for each other, and what is committed survive a power cut."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _record_of(row: Any) -> KeptRecord:
    seats = {int(seat): (str(name), bool(computer)) for seat, (name, computer) in json.loads(row.seats).items()}
    return KeptRecord(
        row.game_id, row.game, json.loads(row.rules), row.mode, seats, tuple(json.loads(row.winners)), row.reason,
        row.started, row.turns, row.changed, row.given, row.digest, row.entries, row.table_key, row.table_name,
        row.received, row.number,
    )  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _reason(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]

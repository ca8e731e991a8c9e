"""docs/adding-a-game.md is followed to the letter: its examples are built, installed, tested and played to the end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import firmware_host.games
from firmware_host.games import registry
from firmware_host.games.clocks import ClockSetting
from firmware_host.games.game import Game, GameError
from firmware_host.games.thinking import choose
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.timekeeping import ClocksChosen, ClocksStopped
from lodestone.evening import Evening
from lodestone.game_contract import check_game
from tests.ports import free_port
from tests.sampling import few
from tests.workshop import Workshop, files

EXAMPLE = ("lodestone-hex/pyproject.toml", "lodestone-hex/lodestone_hex.py", "lodestone-hex/test_hex.py")
ROOT = Path(__file__).parents[1]
INSTALL = ".venv/bin/python -m pip install --no-build-isolation --editable ../lodestone-hex"
MORRIS = ".venv/bin/python -m pip install --no-build-isolation --editable ../lodestone-morris"
ENGINE = """echo '{"do": "start", "game": "hex"}' | .venv/bin/lodestone engine"""
APPLY = (
    """echo '{"do": "apply", "game": "hex", "position": "......./......./......./......./......./......./.......","""
    """ "action": "D4"}' | .venv/bin/lodestone engine"""
)
BOARD = ".venv/bin/lodestone board new hex hex-7.toml"
DEMO = ".venv/bin/lodestone play --demo --board hex-7.toml"
REPLAY = ".venv/bin/lodestone replay game.jsonl --sim --board hex-7.toml"
RECORD = ".venv/bin/lodestone record --data ~/.local/share/lodestone/demo"
EMPTY = "/".join(["......."] * 7)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    made = Workshop(tmp_path_factory.mktemp("workshop"))
    made.run(INSTALL)
    return made


@pytest.fixture
def hexagonal(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game[Any]]:
    """The example as this very process finds it, through its entry point."""
    monkeypatch.syspath_prepend(str(workshop.site))
    for package in ("lodestone-hex", "lodestone-morris"):  # Whichever is installed by now.
        monkeypatch.syspath_prepend(str(workshop.folder / package))
    games, broken = registry.find()
    assert not broken
    monkeypatch.setattr(registry, "GAMES", games)
    yield registry.game("hex")
    for module in ("lodestone_hex", "lodestone_morris", "lodestone_morris_player"):
        sys.modules.pop(module, None)


# -- what the document shows -------------------------------------------------------------------------------------------


def test_the_example_has_less_than_150_lines() -> None:
    assert set(EXAMPLE) <= set(files())
    assert 100 < sum(files()[path].count("\n") for path in EXAMPLE) < 150


@pytest.mark.thorough
@pytest.mark.parametrize("package", ["hex", "morris"])
def test_the_examples_are_as_tidy_as_our_own_games(workshop: Workshop, package: str) -> None:
    folder = workshop.folder / f"lodestone-{package}"
    modules = sorted(folder.glob("lodestone_*.py"))
    assert len(modules) == 2
    workshop.check_style(folder.name, modules, tests=[folder / f"test_{package}.py"])


@pytest.mark.thorough
def test_their_own_tests_pass(workshop: Workshop) -> None:
    workshop.run(MORRIS)
    assert "2 passed" in workshop.run(".venv/bin/python -m pytest ../lodestone-hex")
    assert "2 passed" in workshop.run(".venv/bin/python -m pytest ../lodestone-morris")


@pytest.mark.thorough
def test_the_levels_of_the_second_example_differ(workshop: Workshop) -> None:
    workshop.run(MORRIS)
    result = workshop.run(".venv/bin/lodestone arena morris level:2 level:1 --games 20")
    assert int(re.search(r"Elo ([+-]\d+)", result)[1]) > 50  # type: ignore[index]


# -- the engine --------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_engine_plays_whole_games_of_it(workshop: Workshop) -> None:
    assert json.loads(workshop.run(ENGINE))["position"] == EMPTY
    assert json.loads(workshop.run(APPLY))["position"] == EMPTY[:27] + "b" + EMPTY[28:]
    engine = workshop.folder / "lodestone" / ".venv" / "bin" / "lodestone"
    process = subprocess.Popen(
        [engine, "engine"], env=workshop.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout

    def ask(do: str, **fields: object) -> Any:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"do": do, "game": "hex", **fields}) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["ok"], answer
        return answer

    with process:
        wins = set()
        for seed in range(8):
            rng, position, made, status = Random(seed), ask("start")["position"], 0, {"over": False}
            while not status["over"]:
                ((seat, offered),) = ask("actions", position=position)["seats"].items()
                assert (seat, len(offered)) == (str(made % 2 + 1), 49 - made)
                answer = ask("apply", position=position, action=rng.choice(offered))
                position, status, made = answer["position"], answer["status"], made + 1
            assert status["reason"] == "chain"
            assert status.items() <= ask("status", position=position).items()
            assert 13 <= made <= 49
            wins |= set(status["winners"])
        assert wins == {1, 2}
        assert ask("perft", position=EMPTY, depth=2)["count"] == 49 * 48
        process.stdin.close()


# -- its computers -----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_its_computers_have_levels(hexagonal: Game[Any]) -> None:
    """Without a line of its own: the page's example of a thought, and a game of the lowest level against random."""
    player = computer_player_of(hexagonal)
    assert len(player.strengths) == 3
    level, rng, position = player.strengths[0], Random(1), hexagonal.start("2")
    while not (status := hexagonal.status(position)).over:
        seat = hexagonal.actor(position)
        assert seat
        if seat == 1:
            action = choose(player.think(position, seat, level.budget, rng), level.spread, rng).action
        else:
            action = hexagonal.random_action(position, seat, rng)
        position = hexagonal.apply(position, {seat: action}).position
    assert status.winners == (1,)


@pytest.mark.thorough
@pytest.mark.parametrize("level", range(3))
def test_every_level_joins_the_sides_when_it_can_and_stops_who_would(hexagonal: Game[Any], level: int) -> None:
    player = computer_player_of(hexagonal)
    strength = player.strengths[level]
    for seat, rows in ((1, ["b.w...."] * 6 + ["......."]), (2, ["b.w...."] * 5 + ["b......", "......."])):
        thought = player.think(hexagonal.parse("/".join(rows)), seat, strength.budget, Random(level))
        assert choose(thought, strength.spread, Random(level)).action == "A7"
        assert thought.proved == (seat == 1)


# -- the table ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", few(["presence", "polarity", "level"], 1))
def test_a_whole_game_by_hand(hexagonal: Game[Any], kind: str) -> None:
    evening = Evening("hex", kind=kind).sit_and_start("Ada", "Grace")
    rng, seat = Random(4), 1
    assert evening.phase == "resolving"
    while evening.phase != "over":
        view = evening.view()
        assert view["resolver"] == seat
        assert [one["plays"] for one in view["seats"]] == ["b", "w"]
        sides = "row 1 and row 7" if seat == 1 else "column A and column G"
        assert view["message"].endswith(f"stone, to join {sides}.")
        evening.put(rng.choice([step["action"] for step in view["steps"]]), "bw"[seat - 1])
        evening.wait(0.6)
        assert len(evening.done()) == len(evening.stones), "what lies is what has been played"
        seat = 3 - seat
    winner = 3 - seat
    result = evening.view()["result"]
    assert (result["reason"], result["winners"]) == ("chain", [winner])
    assert result["words"] == "A chain of stones joins both sides."
    chain = hexagonal.decisive(evening.table.ledger.now.position)
    assert evening.lights() == dict.fromkeys(chain, "won")
    assert {evening.stones[node][0] for node in chain} == {"bw"[winner - 1]}


def test_wrong_stones_power_cuts_and_changed_minds(hexagonal: Game[Any]) -> None:
    evening = Evening("hex", kind="polarity").sit_and_start("Ada", "Grace")
    evening.put("D4", "w")
    evening.wait(1.5)
    assert evening.lights()["D4"] in {"wrong", "return", "remove"}
    assert not evening.done()
    evening.lift("D4")
    evening.hand = []
    evening.put("D4", "b")
    evening.wait(0.6)
    assert evening.done() == ["D4"]
    evening = evening.restarted()
    evening.wait(0.3)
    assert evening.view()["resolver"] == 2
    evening.put("E4", "w")
    evening.wait(0.6)
    assert evening.done() == ["D4", "E4"]
    evening.agree_on("take-back")
    assert evening.lights()["E4"] in {"return", "remove"}
    evening.lift("E4")
    evening.hand = []
    evening.wait(0.6)
    assert evening.done() == ["D4"]
    evening.say(Resigned(at=evening.at, seat=2))
    assert evening.view()["result"]["words"] == "The other player has resigned."
    assert evening.view()["result"]["winners"] == [1]


@pytest.mark.parametrize("strict", [False, True])
def test_it_has_clocks_without_a_line_of_its_own(hexagonal: Game[Any], strict: bool) -> None:
    del hexagonal
    evening = Evening("hex")
    evening.say(ClocksChosen(at=0, setting=ClockSetting(main=20, increment=2, strict=strict)))
    evening.sit_and_start("Ada", "Grace")
    evening.wait(5)
    evening.put("D4", "b")
    evening.wait(0.6)
    one, other = evening.view()["clocks"]["seats"]  # type: ignore[index]
    assert 15_000 < one["left"] <= 17_100, "five seconds thought, two given back"
    assert (one["runs"], other["runs"]) == (False, True)
    evening.wait(25)
    assert [data["seat"] for kind, data in evening.entries if kind == "flag"] == ([] if strict else [2])
    assert evening.phase == ("over" if strict else "resolving")
    assert evening.table.ledger.late == ({2} if strict else set())
    evening.say(ClocksStopped(at=evening.at))
    assert evening.restarted().table.ledger.clocks == evening.table.ledger.clocks


# -- the program -------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_demonstration_is_played_recorded_and_shown_again(workshop: Workshop) -> None:
    assert "Hex on 49 nodes" in workshop.run(BOARD)
    workshop.run(".venv/bin/lodestone board drawing hex-7.toml --svg plate.svg")
    assert (workshop.here / "plate.svg").read_text().count("<circle") >= 49
    assert "74HC165" in workshop.run(".venv/bin/lodestone board parts hex-7.toml")
    demo = workshop.start(DEMO, "--host", "127.0.0.1", "--port", str(free_port()), "--pause", "0.01")
    out = []
    try:
        assert demo.stdout
        for line in demo.stdout:
            out.append(line)
            if "The end stays" in line:
                break
        else:
            raise AssertionError("".join(out))
    finally:
        demo.terminate()
        demo.communicate(timeout=200)
    assert any("has won" in line for line in out)
    assert not any("Traceback" in line for line in out)
    assert "Ada, Grace" in workshop.run(f"{RECORD} list")
    workshop.run(f"{RECORD} export hex --out game.jsonl")
    workshop.run(".venv/bin/lodestone record verify game.jsonl")
    lines = (workshop.here / "game.jsonl").read_text().splitlines()
    header, last = json.loads(lines[0]), json.loads(lines[-1])
    assert header["game"] == "hex"
    assert "chain" in json.dumps(last)
    again = workshop.start(REPLAY, "--host", "127.0.0.1", "--port", str(free_port()), "--pace", "0.05", "--once")
    shown, _ = again.communicate(timeout=200)
    assert (again.returncode, "Traceback" in shown) == (0, False), shown
    text = "\n".join(lines) + "\n"
    forged = text.replace('"action":"', '"action":"Z', 1)
    assert forged != text
    (workshop.here / "game.jsonl").write_text(forged)
    assert "line " in workshop.run(".venv/bin/lodestone record verify game.jsonl", fails=True)


# -- other ways that the document names --------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_option_of_the_rules(tmp_path: Path) -> None:
    made = Workshop(
        tmp_path,
        {
            "lodestone-hex/pyproject.toml": (
                'hex = "lodestone_hex:GAME"\n\n[tool.setuptools]\npy-modules = ["lodestone_hex"]',
                'hex = "lodestone_hex_options:GAME"\n\n[tool.setuptools]\n'
                'py-modules = ["lodestone_hex", "lodestone_hex_options"]',
            )
        },
    )
    made.run(INSTALL)
    chain = "/".join(["b.w...."] * 6 + ["b......"])
    asked = [
        json.dumps({"do": "status", "game": "hex", "position": chain, "rules": {"misere": on}}) for on in (False, True)
    ]
    engine = [str(made.here / ".venv/bin/lodestone"), "engine"]
    done = subprocess.run(
        engine, env=made.environment(), input="\n".join(asked), capture_output=True, text=True, check=True
    )
    assert [json.loads(line)["winners"] for line in done.stdout.splitlines()] == [[1], [2]]


@pytest.mark.thorough
def test_all_sizes_follow_from_one_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "hex_of_eleven.py"
    module.write_text(files()["lodestone-hex/lodestone_hex.py"].replace("SIZE = 7", "SIZE = 11"))
    monkeypatch.syspath_prepend(str(tmp_path))
    import hex_of_eleven  # type: ignore[import-not-found]  # noqa: PLC0415 - it is made here

    assert len(hex_of_eleven.GAME.layout().nodes) == 121
    assert len(hex_of_eleven.GAME.layout().lines) == 2 * 11 * 10 + 10 * 10
    assert check_game(hex_of_eleven.GAME, Random(1), most=25) == 25


def test_a_folder_among_our_games_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "hex"
    folder.mkdir()
    (folder / "__init__.py").write_text(files()["lodestone-hex/lodestone_hex.py"])
    monkeypatch.setattr(firmware_host.games, "__path__", [*firmware_host.games.__path__, str(tmp_path)])
    games, broken = registry.find()
    assert games["hex"].title == "Hex"
    assert not broken
    assert set(registry.GAMES) < set(games)
    sys.modules.pop("firmware_host.games.hex")


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("raise RuntimeError('out of order')", "RuntimeError: out of order"),
        ("import no_such_module", "No module named 'no_such_module'"),
        (
            "from firmware_host.games.plain import Plain\nclass Odd(Plain): name = 'odd'\nGAME = Odd()",
            "TypeError: Can't instantiate abstract class Odd with abstract methods after, layout",
        ),
        ("GAME = object()", "it does not offer actions, actor,"),
        (
            "from lodestone_hex import Hex\nGAME = Hex()\nGAME.name = 'other'",
            "announced as 'odd', but its name is 'other'",
        ),
        (
            "from lodestone_hex import Hex\nGAME = Hex()\nGAME.name = 'odd'\nGAME.options = {}",
            "rules, with_rules, which HasOptions",
        ),
    ],
)
def test_a_broken_package_is_named_and_the_others_play(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch, module: str, why: str
) -> None:
    for package in ("lodestone-hex", "lodestone-morris"):  # Whichever is installed by now.
        monkeypatch.syspath_prepend(str(workshop.folder / package))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "odd_module.py").write_text(module)
    information = tmp_path / "lodestone_odd-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: lodestone-odd\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[lodestone.games]\nodd = odd_module:GAME\n")
    games, broken = registry.find()
    for name in ("odd_module", "lodestone_hex"):
        sys.modules.pop(name, None)
    monkeypatch.setattr(registry, "GAMES", games)
    monkeypatch.setattr(registry, "BROKEN", broken)
    assert registry.game("phalanx").name == "phalanx"
    with pytest.raises(registry.UnknownGame) as refusal:
        registry.game("odd")
    assert "'odd' of package lodestone-odd (odd_module:GAME) can't be used" in str(refusal.value)
    assert why in str(refusal.value)
    with pytest.raises(GameError, match="expected one of"):
        registry.game("even")

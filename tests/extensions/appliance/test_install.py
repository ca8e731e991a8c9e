"""install.sh, run below a folder: what it writes, what it would run; repeated, and killed in the middle."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from firmware_host.archive.contents import LISTS
from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import parser_of_verbs
from tests.extensions.appliance.installed import VERSION
from tests.sampling import few

HERE = Path(__file__).parents[3]
CONFIG = "boot/firmware/config.txt"
UNIT = "etc/systemd/system/lodestone.service"
AVAHI = "etc/avahi/avahi-daemon.conf"
BOOT = "[pi4]\narm_boost=1\n[all]\n#dtparam=spi=on\ndtparam=audio=off\n"
BAUD = "dtparam=i2c_arm_baudrate=400000"
PARTS = (
    *(str(path.relative_to(HERE)) for path in LISTS),
    "install.sh",
    "install",
    "pyproject.toml",
    "Makefile",
    "docs/lodestone.service",
    "firmware_host/boards/spokes-45.toml",
    "hw/__init__.py",
    "hw/pi.py",
)
BEFORE = {
    CONFIG: BOOT,
    AVAHI: "[server]\n#host-name=foo\nuse-ipv4=yes\n",
    "etc/group": "root:x:0:\ndialout:x:20:\ngpio:x:997:\nspi:x:999:\n",
    "etc/passwd": "root:x:0:0::/root:/bin/bash\n",
}
PARTS_OF_IT = ("config", "folders", "releases", "hotspot")
EACH = 25
CHANGING = ("mv", "rm", "chmod", "mkdir", "tar")


def thorough(*values: object) -> ParameterSet:
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder of the program, cut down to what the installer itself reads and some modules."""
    here = tmp_path / "source"
    for part in PARTS:
        (here / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (HERE / part).is_dir() else shutil.copy2)(HERE / part, here / part)
    for name in ("firmware_host/one.py", "firmware_host/games/with space.py", ".git/config", ".venv/bin/python"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(f"# {name}\n")
    return here


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return fresh(tmp_path / "root")


def fresh(root: Path, model: str = "Raspberry Pi 4 Model B Rev 1.4") -> Path:
    for name, text in {**BEFORE, "proc/device-tree/model": model + "\0"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def install(
    source: Path, root: Path, *options: str, code: int = 0, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        ["sh", str(source / "install.sh"), "--root", str(root), *options],
        env={"PATH": path, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert run.returncode == code, run.stdout + run.stderr
    return run


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (stat.S_IMODE(path.stat().st_mode), path.read_bytes() if path.is_file() else b"")
        for path in root.rglob("*")
    }


def copy(root: Path) -> Path:
    """Return the release that the service starts."""
    return (root / "opt/lodestone/current").resolve()


def commands(root: Path) -> list[str]:
    return (root / "install.commands").read_text().splitlines()


def config(root: Path) -> list[str]:
    return [line for line in (root / CONFIG).read_text().splitlines() if not line.startswith("# Lodestone")]


def service(root: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (root / UNIT).read_text().splitlines() if line[:1].isalpha())


def test_shellcheck_finds_nothing() -> None:
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        pytest.skip("shellcheck is missing: make setup-test")
    scripts = ["install.sh", "install/guard", *(f"install/{part}.sh" for part in PARTS_OF_IT)]
    found = subprocess.run([program, "-x", *scripts], cwd=HERE, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.thorough
def test_three_times_in_a_row_is_the_same_as_once(source: Path, root: Path) -> None:
    install(source, root, "--yes", "--board", "spokes-45")
    once, at = tree(root), (copy(root) / "firmware_host/one.py").stat().st_mtime_ns
    install(source, root, "--repair", "--yes", "--board", "spokes-45")
    install(source, root, "--yes")
    assert tree(root) == once
    assert (copy(root) / "firmware_host/one.py").stat().st_mtime_ns == at, "nothing is compiled anew without need"


def killing(folder: Path, limit: int) -> str:
    """Return a PATH on which the n-th command that changes a file ends the installer and all that it has started."""
    folder.mkdir()
    for name in CHANGING:
        (folder / name).write_text(
            f"#!/bin/sh\necho >>{folder}/calls\n"  # Two that run at once, in a pipe, are two lines whatever the order.
            f'[ $(wc -l <{folder}/calls) -lt {limit} ] || kill -9 0\nexec {shutil.which(name)} "$@"\n'
        )
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("first", [7, *(thorough(each) for each in range(EACH) if each != 7)])
def test_killed_in_the_middle_and_run_again_is_the_same_as_once(source: Path, tmp_path: Path, first: int) -> None:
    options = ("--yes", "--uart", "yes", "--board", "spokes-45")
    path = killing(tmp_path / "never", 10_000)
    install(source, fresh(tmp_path / "whole"), *options, path=path)
    whole, calls = tree(tmp_path / "whole"), len((tmp_path / "never/calls").read_text())
    assert calls > 30
    for limit in range(first + 1, calls + 1, EACH):
        root = fresh(tmp_path / f"root{limit}")
        install(source, root, *options, code=-9, path=killing(tmp_path / f"bin{limit}", limit))
        install(source, root, *options)
        assert tree(root) == whole, limit


def test_what_is_copied_and_what_is_kept(source: Path, root: Path) -> None:
    install(source, root)
    assert not (copy(root) / ".git").exists()
    assert not (copy(root) / ".venv").exists()
    built = (".venv/bin/python", "firmware_host/one.cpython-311.so", "firmware_host/compiled.hashes")
    for name in (*built, "firmware_host/old.py"):
        (copy(root) / name).parent.mkdir(parents=True, exist_ok=True)
        (copy(root) / name).write_text("built on this Pi")
    (copy(root) / "Makefile").write_text("damaged")
    install(source, root)
    assert [(copy(root) / name).read_text() for name in built] == ["built on this Pi"] * 3
    assert not (copy(root) / "firmware_host/old.py").exists()
    assert (copy(root) / "Makefile").read_bytes() == (HERE / "Makefile").read_bytes()
    install(copy(root), root)  # It repairs itself from its own copy, too.
    assert (copy(root) / "firmware_host/games/with space.py").exists()


def test_another_release_is_put_beside_the_one_before_and_an_older_one_goes(source: Path, root: Path) -> None:
    found = []
    for number in range(3):
        (source / "firmware_host/one.py").write_text(f"new = {number}\n")
        install(source, root)
        found.append(copy(root))
        assert (copy(root) / "firmware_host/one.py").read_text() == f"new = {number}\n"
    assert sorted((root / "opt/lodestone/releases").iterdir()) == sorted(found[1:])
    assert all(path.name.startswith(f"{VERSION}-") for path in found)


def test_places_and_keys_of_updates(source: Path, root: Path) -> None:
    settings = root / "etc/lodestone"
    install(source, root, "--updates", "https://example.org/releases")
    assert not (settings / "signers").exists(), "the file names no key"
    key = "lodestone ssh-ed25519 AAAA\n"
    (source / "install/signers").write_text(key)
    install(source, root)
    assert (settings / "updates").read_text() == "https://example.org/releases\n"
    (source / "install/signers").write_text("lodestone ssh-ed25519 BBBB\n")
    install(source, root, "--updates", "none")
    assert (settings / "signers").read_text() == key, "whom the household trusts stays its own affair"
    assert not (settings / "updates").exists()


@pytest.mark.parametrize(
    ("before", "options", "added"),
    few(
        [
            (BOOT, ["--uart", "yes", "--spi", "yes"], ["dtparam=spi=on", "enable_uart=1"]),
            ("dtparam=i2c_arm=on,spi=on", ["--yes"], [BAUD]),
            thorough("enable_uart=1\r\ndtparam=spi=on\r\n", ["--spi", "yes", "--uart", "yes"], []),
            thorough("dtparam=spi=on", ["--spi", "yes"], []),
            thorough("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", ["--i2c", "yes"], []),
            thorough("dtparam=i2c_arm=on,i2c_arm_baudrate=100000\n", ["--yes", "--spi", "no"], [BAUD]),
            thorough("dtparam=spi=on\ndtparam=spi=off\n", ["--spi", "yes"], ["dtparam=spi=on"]),
            thorough("[pi5]\ndtparam=spi=on\n", ["--spi", "yes"], ["dtparam=spi=on"]),
            thorough(BOOT, ["--spi", "no"], []),
            thorough(BOOT, [], []),
        ],
        1,
    ),
)
def test_settings_are_added_once_and_only_where_they_are_wished(
    source: Path, root: Path, before: str, options: list[str], added: list[str]
) -> None:
    (root / CONFIG).write_bytes(before.encode())
    for _ in range(2):
        install(source, root, *options)
        assert config(root) == [*before.splitlines(), *(["[all]", *added] if added else [])]
    kept = root / f"{CONFIG}.before-lodestone"
    assert kept.read_bytes() == before.encode() if added else not kept.exists()


SOUND = "dtparam=audio=off"


@pytest.mark.parametrize(
    ("lights", "model", "off"),
    few(
        [
            ('pin = "D18"', "Raspberry Pi 4 Model B Rev 1.4", True),
            thorough('pin = "D13"', "Raspberry Pi Zero 2 W Rev 1.0", True),
            thorough('pin = "D10"\nsecond = { pin = "D12", length = 5 }', "Raspberry Pi 3 Model B Rev 1.2", True),
            thorough('pin = "D21"', "Raspberry Pi 4 Model B Rev 1.4", False),
            thorough('pin = "D10"', "Raspberry Pi 4 Model B Rev 1.4", False),
            ('pin = "D18"', "Raspberry Pi 5 Model B Rev 1.0", False),
        ],
        1,
    ),
)
def test_sound_is_switched_off_for_a_strip_on_its_pwm(
    source: Path, tmp_path: Path, lights: str, model: str, off: bool
) -> None:
    board = tmp_path / "mine.toml"
    board.write_text(f"[lights]\n{lights}\n")
    root = fresh(tmp_path / "root", model)
    usual = "[all]\ndtparam=audio=on\n"  # As Raspberry Pi OS has it.
    (root / CONFIG).write_text(usual)
    run = install(source, root, "--board", str(board))
    assert ("the analogue sound would disturb: that sound is switched off" in run.stdout) is off
    clock = [line for line in config(root) if line.startswith("core_freq")]  # Of a strip that SPI times.
    assert [line for line in config(root) if line not in {*clock, "[all]"}] == [usual.split()[1], *[SOUND] * off]
    install(source, root)
    assert config(root).count(SOUND) == off
    install(source, root, "--board", "sim")
    assert (root / CONFIG).read_text() == usual


def test_sound_that_is_off_stays_off(source: Path, root: Path) -> None:
    install(source, root, "--board", "spokes-45")
    assert (root / CONFIG).read_text() == BOOT


@pytest.mark.parametrize(
    ("board", "model", "own", "added"),
    few([
        thorough('[lights]\npin = "D10"', "Raspberry Pi 3 Model B Plus Rev 1.3", "", ["core_freq=250"]),
        ('[lights]\npin = "D10"', "Raspberry Pi 4 Model B Rev 1.4", "", ["core_freq=500", "core_freq_min=500"]),
        thorough('[lights]\npin = "D10"', "Raspberry Pi 4 Model B Rev 1.4", "core_freq_min=400\n", []),
        thorough('[lights]\npin = "D10"', "Raspberry Pi 5 Model B Rev 1.0", "", []),
        ('[lights]\nscheme = "apa102"\npin = "D20"', "Raspberry Pi 3 Model B Rev 1.2", "", ["dtoverlay=spi1-2cs"]),
        thorough("[sensors]\nspi_bus = 1", "Raspberry Pi 3 Model B Rev 1.2", "dtoverlay=spi1-3cs\n", []),
        thorough('lights = { pin = "D21", second = { pin = "D10" } }', "Raspberry Pi Zero W", "", ["core_freq=250"]),
    ], 1),
)  # fmt: skip
def test_what_a_board_needs_of_the_spi_buses_is_set(
    source: Path, tmp_path: Path, board: str, model: str, own: str, added: list[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(board + "\n")
    root = fresh(tmp_path / "root", model)
    (root / CONFIG).write_text(own)
    for _ in range(2):
        install(source, root, "--board", str(file), "--spi", "yes")
        assert config(root) == [*own.splitlines(), "[all]", "dtparam=spi=on", *added]
        assert (root / "etc/modprobe.d/lodestone.conf").read_text() == "options spidev bufsiz=32768\n"
    install(source, root, "--board", "sim", "--spi", "no")
    assert (root / CONFIG).read_text() == own
    assert not (root / "etc/modprobe.d/lodestone.conf").exists()


@pytest.mark.thorough
def test_settings_that_nobody_answers_stay_and_no_takes_them_away(source: Path, root: Path) -> None:
    install(source, root, "--spi", "yes", "--i2c", "yes")
    written = (root / CONFIG).read_bytes()
    install(source, root)
    assert (root / CONFIG).read_bytes() == written
    install(source, root, "--spi", "no", "--i2c", "no")
    assert (root / CONFIG).read_text() == BOOT


def test_lines_of_a_block_that_somebody_has_cut_are_not_lost(source: Path, root: Path) -> None:
    install(source, root, "--spi", "yes")
    cut = (root / CONFIG).read_text().replace("# Lodestone: end\n", "gpu_mem=16\n")
    (root / CONFIG).write_text(cut)
    install(source, root, "--i2c", "yes")
    assert {"gpu_mem=16", "dtparam=spi=on", "arm_boost=1"} <= set(config(root))


def test_older_systems_and_the_pi_5_have_their_own_places(source: Path, tmp_path: Path) -> None:
    root = fresh(tmp_path / "five", "Raspberry Pi 5 Model B Rev 1.0")
    (root / CONFIG).rename(root / "boot/config.txt")
    install(source, root, "--uart", "yes")
    assert (root / "boot/config.txt").read_text().splitlines()[-3:-1] == ["enable_uart=1", "dtparam=uart0=on"]
    assert "raspi-config nonint do_serial_cons 1" in commands(root)
    assert not (root / CONFIG).exists()


@pytest.mark.parametrize("kept", [thorough(True), False])
def test_removed_it_leaves_what_was_there_before(source: Path, root: Path, kept: bool) -> None:
    before = tree(root)
    install(source, root, "--yes", "--board", "spokes-45")
    (root / "var/lib/lodestone").mkdir(parents=True)
    (root / "var/lib/lodestone/journal.sqlite").write_text("games")
    for _ in range(2):
        install(source, root, "--remove", *([] if kept else ["--data", "delete"]))
        files = {name: found for name, found in tree(root).items() if (root / name).is_file()}
        del files["install.commands"]
        assert (files.pop("var/lib/lodestone/journal.sqlite", None) is not None) is kept
        assert (files.pop("etc/lodestone/board.toml", None) is not None) is kept
        assert files == {name: found for name, found in before.items() if (root / name).is_file()}
    assert commands(root)[0] == "systemctl disable --now lodestone lodestone-update.path"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    ["spokes-45", *(thorough(path.stem) for path in shipped_boards() if path.stem.count("-") > 1)],
)
def test_the_account_is_root_only_for_strips_on_pwm_or_pcm(source: Path, root: Path, name: str) -> None:
    shutil.copy2(find_board(name), source / "firmware_host" / "boards")
    install(source, root, "--board", name)
    strips = load_board(find_board(name)).lights.strips
    assert service(root)["User"] == ("root" if any(strip.over == "gpio" for strip in strips) else "lodestone")


@pytest.mark.parametrize(
    ("lights", "model", "user"),
    few(
        [
            ('pin = "D18"', "Raspberry Pi 5 Model B", "lodestone"),
            ('pin = "D10"', "Raspberry Pi 4 Model B", "lodestone"),
            thorough('pin = "D10"\nover = "gpio"', "Raspberry Pi 4 Model B", "root"),
            thorough('pin = "D20"\nscheme = "apa102"\norder = "BGR"', "Raspberry Pi 4 Model B", "lodestone"),
            ('pin = "D10"\nsecond = { pin = "D18", length = 5 }', "Raspberry Pi Zero 2 W Rev 1.0", "root"),
        ],
        2,
    ),
)
def test_the_account_by_strip_and_model(source: Path, tmp_path: Path, lights: str, model: str, user: str) -> None:
    board = tmp_path / "mine.toml"
    board.write_text(f"[lights]\n{lights}\n")
    root = fresh(tmp_path / "root", model)
    install(source, root, "--board", str(board))
    assert service(root)["User"] == user
    assert (root / "etc/lodestone/board.toml").read_bytes() == board.read_bytes()


@pytest.mark.thorough
def test_the_unit_opens_the_chosen_board(source: Path, root: Path) -> None:
    for options, board in ((["--board", "spokes-45"], "/etc/lodestone/board.toml"), (["--board", "sim"], "sim")):
        install(source, root, *options)
        program, *arguments = service(root)["ExecStart"].split()
        read = parser_of_verbs().parse_args(arguments)
        assert (program, read.board, read.resume) == ("/opt/lodestone/current/.venv/bin/lodestone", board, True)
        assert f"<port>{read.port}</port>" in (root / "etc/avahi/services/lodestone.service").read_text()


def test_a_table_that_hangs_has_half_of_15_seconds_to_start(source: Path, root: Path) -> None:
    """A Pi needs up to 8 s for a start (docs/install.md, Watchdog): all else must take less than the other 7."""
    install(source, root)
    unit = service(root)
    assert (unit["Type"], unit["Restart"], unit["LimitCORE"]) == ("notify", "always", "0")
    waits = [unit[name] for name in ("WatchdogSec", "RestartSec")]
    assert waits == ["5", "500ms"]
    assert unit["TimeoutAbortSec"] == "2", "a program that does not even end when it is told to"


def test_what_would_be_run(source: Path, root: Path) -> None:
    install(source, root)
    run = commands(root)
    assert [line for line in run if line.startswith("usermod")] == [
        f"usermod --append --groups {group} lodestone" for group in ("gpio", "spi", "dialout")
    ]
    installing = next(line for line in run if "apt-get install" in line)
    assert {"python3-venv", "python3-dev", "gcc", "make", "swig"} <= set(installing.split())
    release = f"/opt/lodestone/releases/{copy(root).name}"
    order = [installing, f"make -C {release} --no-print-directory setup", "systemctl restart lodestone"]
    assert sorted(order, key=run.index) == order
    (root / "etc/passwd").write_text("lodestone:x:998:998::/var/lib/lodestone:/usr/sbin/nologin\n")
    install(source, root)
    assert not [line for line in commands(root) if line.startswith("useradd")]


@pytest.mark.thorough
def test_the_name_in_the_network(source: Path, root: Path) -> None:
    install(source, root, "--network-name", "yes")
    assert (root / AVAHI).read_text().splitlines()[:3] == [
        "[server]",
        "# Lodestone: its name in the network",
        "host-name=lodestone",
    ]
    install(source, root, "--network-name", "no")
    assert (root / AVAHI).read_text() == BEFORE[AVAHI]
    (root / AVAHI).write_text("[server]\nhost-name=den\n")
    assert "another host-name: it stays" in install(source, root, "--yes").stdout
    assert (root / AVAHI).read_text() == "[server]\nhost-name=den\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--foo"], "unknown option --foo"),
        (["--spi", "maybe"], "--spi: expected yes or no, got maybe"),
        (["--games", "data"], "--games: expected a path like /data/lodestone, got data"),
        (["--hotspot-password", "short"], "--hotspot-password: expected 8 to 63 characters"),
        (["--wifi-country", "Germany"], "--wifi-country: expected two letters like DE"),
        (["--data", "x"], "--data: expected keep or delete, got x"),
        (["--board"], "--board: expected a value after it"),
        (["--board", "nowhere"], "--board: no such file"),
        (["--board", "Makefile"], "is no board file"),
        (["--root", "/nowhere"], "--root: /nowhere is no folder"),
        (["--root", "/"], "expected another folder than /"),
    ],
)
def test_a_wrong_call_changes_nothing(
    source: Path, root: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], why: str
) -> None:
    monkeypatch.chdir(source)
    before = tree(root)
    run = install(source, root, *options, code=1)
    assert run.stderr.startswith("install.sh: ")
    assert why in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert tree(root) == before

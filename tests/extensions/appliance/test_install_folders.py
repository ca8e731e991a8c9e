"""install.sh's folders: which it takes, which it refuses, and that it takes away nothing but what is its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from fnmatch import fnmatch
from itertools import product
from pathlib import Path

import pytest

from firmware_host.archive import journal_rescue
from firmware_host.archive.contents import CONTENTS
from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import copy_path, note_path
from tests.archive.journal.damage import left_behind
from tests.extensions.appliance.test_install import UNIT, install, root, source, tree
from tests.sampling import cases, few

__all__ = ["root", "source"]
PASSWD = "etc/passwd"


def nothing(root: Path) -> None:
    """Leave the system as it is."""


def with_file(name: str, text: str = "mine") -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return make


def with_link(name: str, target: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / target).mkdir(parents=True)
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(root / target)

    return make


def with_open_folder(root: Path) -> None:
    (root / "data").mkdir()
    (root / "data").chmod(0o777)


def with_home(root: Path) -> None:
    (root / PASSWD).write_text((root / PASSWD).read_text() + "ftp:x:99:99::/data/ftp:/bin/false\n")


REFUSED = [
    ("data", nothing, "expected a path like /data/lodestone, got data"),
    ("/data/lodestone/", nothing, "expected a path like /data/lodestone, got /data/lodestone/"),
    ("/data//lodestone", nothing, "expected a path like"),
    ("/data/../etc", nothing, "expected a path like"),
    ("/data/..", nothing, "expected a path like"),
    ("/data/./lodestone", nothing, "expected a path like"),
    ("/", nothing, "expected a path like"),
    ("/data/my games", nothing, "expected a path like"),
    ("/data/$(reboot)", nothing, "expected a path like"),
    ("/etc", nothing, "/etc is the system's"),
    ("/etc/lodestone", nothing, "/etc/lodestone is the system's"),
    ("/usr/local/lodestone", nothing, "/usr/local/lodestone is the system's"),
    ("/var", nothing, "/var is the system's"),
    ("/var/lib", nothing, "/var/lib is the system's"),
    ("/opt", nothing, "/opt is the system's"),
    ("/opt/lodestone", nothing, "/opt/lodestone is the system's"),
    ("/opt/lodestone/releases", nothing, "/opt/lodestone/releases is the system's"),
    ("/srv", nothing, "/srv is the system's"),
    ("/mnt", nothing, "/mnt is the system's"),
    ("/media", nothing, "/media is the system's"),
    ("/boot/firmware", nothing, "/boot/firmware is the system's"),
    ("/tmp/lodestone", nothing, "/tmp/lodestone is the system's"),
    ("/home", nothing, "/home is the system's"),
    ("/root", nothing, "/root is in somebody's home"),
    ("/home/pi", nothing, "/home/pi is in somebody's home"),
    ("/home/pi/games", nothing, "/home/pi/games is in somebody's home"),
    ("/data/ftp", with_home, "/data/ftp is somebody's home"),
    ("/data/games", with_file("data/games/thesis.tex"), "/data/games is not Lodestone's, there is thesis.tex in it"),
    ("/data/games", with_file("data/games/.config"), "/data/games is not Lodestone's, there is .config in it"),
    ("/data/games", with_file("data/games/backups/all.tar"), "/data/games is not Lodestone's, there is backups in it"),
    ("/data/games", with_file("data/games"), "/data/games is a file"),
    ("/data/games/here", with_file("data/games"), "/data/games is a file"),
    ("/data/games", with_link("data/games", "elsewhere"), "/data/games is a link"),
    ("/data/games", with_link("data", "elsewhere"), "/data is a link"),
    ("/data/games", with_open_folder, "others than root may change /data"),
]


@pytest.mark.parametrize(("remove", "number"), few(cases(list(product((False, True), range(len(REFUSED))))), 8))
def test_a_folder_that_can_not_be_ours_is_refused(source: Path, root: Path, remove: bool, number: int) -> None:
    games, make, why = REFUSED[number]
    make(root)
    before = tree(root)
    words = ["--remove", "--data", "delete"] if remove else ["--yes"]
    run = install(source, root, *words, "--games", games, code=1)
    assert run.stderr.startswith(f"install.sh: --games: {why}"), run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert tree(root) == before


@pytest.mark.parametrize(
    "name",
    cases(
        ["opt/lodestone", "opt", "etc/lodestone", "var/cache/lodestone", "var/lib/lodestone", "var/lib"],
        "opt",
        "etc/lodestone",
        "var/lib/lodestone",
    ),
)
def test_our_own_places_are_no_links(source: Path, root: Path, name: str) -> None:
    with_link(name, "elsewhere")(root)
    games_at(root, "elsewhere/lodestone" if name == "var/lib" else "elsewhere")
    before = tree(root / "elsewhere")
    assert f"/{name} is a link: expected the folder itself" in install(source, root, "--yes", code=1).stderr
    # Of games that are elsewhere it is said that they stay; all else can be removed.
    run = install(source, root, "--remove", "--data", "delete", code=0 if "var/lib" in name else 1)
    assert f"/{name} is a link: expected the folder itself" in run.stdout + run.stderr
    assert tree(root / "elsewhere") == before


@pytest.mark.parametrize(
    "name",
    cases(
        ["etc/systemd", "etc/udev/rules.d", "etc/avahi", "boot/firmware", "etc/modules-load.d"],
        "etc/systemd",
        "boot/firmware",
    ),
)
def test_below_a_folder_nothing_outside_is_changed(source: Path, root: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "config.txt").write_text("theirs\n")
    if (root / name).is_dir():
        shutil.rmtree(root / name)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).symlink_to(outside)
    for words in (["--yes"], ["--remove", "--data", "delete"]):
        assert "leads out of" in install(source, root, *words, code=1).stderr
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"config.txt": "theirs\n"}


@pytest.mark.skipif(os.geteuid() != 0, reason="to mount needs root")
def test_a_disk_of_its_own_is_refused_and_a_folder_on_it_is_taken(source: Path, root: Path) -> None:
    (root / "data").mkdir()
    script = f"sh {source}/install.sh --root {root} --yes --games"
    mounted = f"mount -t tmpfs -o mode=755 tmpfs {root}/data && {{ {script} /data; {script} /data/lodestone; }}"
    run = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == (
        "install.sh: --games: /data is a disk of its own: expected a folder on it, like /data/lodestone\n"
    )


def games_at(root: Path, folder: str) -> Path:
    """Put into a folder what a table leaves in it."""
    here = root / folder
    for name in ("journal.sqlite", "journal.sqlite-wal", "key", "host", "backups/one.sqlite", "boards/mine.toml"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("games")
    return here


@pytest.mark.parametrize("games", few(["/data/lodestone", "/var/lib/lodestone"], 1))
def test_only_what_is_ours_is_taken_away(source: Path, root: Path, games: str) -> None:
    before = {name for name in tree(root) if (root / name).is_file()}
    install(source, root, "--yes", "--games", games)
    here = games_at(root, games[1:])
    aside = games_at(root, f"{games[1:]}.before-20260101T000000000000Z")
    if games != "/var/lib/lodestone":
        (aside / ".lodestone").write_text("")
    theirs = {here / "table.zip": "a backup", root / "opt/lodestone/notes": "x", root / "etc/lodestone/notes": "x"}
    for path, text in theirs.items():
        path.write_text(text)
    run = install(source, root, "--remove", "--data", "delete")
    assert f"{games} stays: there is table.zip in it, which is not Lodestone's." in run.stdout
    assert "/opt/lodestone stays: there is notes in it, which is not Lodestone's." in run.stdout
    left = {name for name in tree(root) if (root / name).is_file()} - before - {"install.commands"}
    assert left == {str(path.relative_to(root)) for path in theirs}
    for path in theirs:
        path.unlink()
    install(source, root, "--remove", "--data", "delete", "--games", games)
    assert not here.exists()
    assert not aside.exists()


def test_a_folder_that_is_empty_or_was_moved_here_is_taken_and_stays_ours(source: Path, root: Path) -> None:
    (root / "data/empty").mkdir(parents=True)
    install(source, root, "--games", "/data/empty")
    assert (root / "data/empty/.lodestone").exists()
    games_at(root, "data/empty")
    (root / "data/empty/table.zip").write_text("what somebody puts there later")
    install(source, root)
    assert "LODESTONE_DATA=/data/empty\n" in (root / UNIT).read_text()
    games_at(root, "data/moved")
    install(source, root, "--games", "/data/moved")
    assert (root / "data/moved/.lodestone").exists()


def test_links_in_a_folder_of_ours_lead_to_no_harm(source: Path, root: Path, tmp_path: Path) -> None:
    """The table's account writes there, and root takes away what is in it."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("theirs")
    install(source, root, "--games", "/data/lodestone")
    here = games_at(root, "data/lodestone")
    shutil.rmtree(here / "boards")
    (here / "boards").symlink_to(precious)
    (here / "log").symlink_to(precious / "file")
    (here / ".lodestone").unlink()
    (here / ".lodestone").symlink_to(precious / "new")
    (here / "journal.sqlite\nkey").write_text("an odd name")
    install(source, root)
    assert not (precious / "new").exists()
    install(source, root, "--remove", "--data", "delete")
    assert not here.exists()
    assert (precious / "file").read_text() == "theirs"


def test_a_foreign_folder_that_an_older_installer_took_is_left_alone(source: Path, root: Path) -> None:
    install(source, root)
    unit = root / UNIT
    unit.write_text(unit.read_text().replace("LODESTONE_DATA=/var/lib/lodestone", "LODESTONE_DATA=/home/pi"))
    home = games_at(root, "home/pi")
    before = tree(home)
    assert "--games: /home/pi is in somebody's home" in install(source, root, code=1).stderr
    run = install(source, root, "--remove", "--data", "delete")
    assert "/home/pi stays: /home/pi is in somebody's home" in run.stdout
    assert tree(home) == before
    assert not unit.exists()


def test_a_folder_of_releases_keeps_what_no_update_has_put_there(source: Path, root: Path) -> None:
    install(source, root)
    mine = root / "opt/lodestone/releases/mine"
    mine.mkdir()
    install(source, root)
    assert mine.is_dir()


def test_every_file_of_a_journal_is_named_also_those_of_a_rescue_that_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is not named stays, and its folder with it."""
    named = list(CONTENTS)
    (left,) = left_behind(tmp_path / "live", [40])
    path = left.lay(tmp_path / "games", b"")
    found: set[str] = set()

    def look(*_: object) -> None:
        found.update(file.name for file in path.parent.iterdir())

    whole = journal_rescue.put_in_place
    monkeypatch.setattr(journal_rescue, "put_in_place", lambda *words: (look(), whole(*words))[1])
    inside = journal_rescue._write
    monkeypatch.setattr(journal_rescue, "_write", lambda *words: (inside(*words), look())[0])
    journal = Journal(path)
    assert "Nothing is lost." in journal.faults[0]
    look()
    journal.close()
    assert {path.name, copy_path(path).name, note_path(path).name} < found
    for kind in ("rescue-*", "damaged-*", "*.rescuing", "*.rescued"):
        assert any(fnmatch(name, kind) for name in found), kind
    assert [name for name in found if not any(fnmatch(name, one) for one in named)] == []


def test_a_folder_with_all_that_a_table_keeps_is_known_and_taken_away_whole(source: Path, root: Path) -> None:
    state = root / "data/games"
    state.mkdir(parents=True)
    for pattern in CONTENTS:
        (state / pattern.replace("*", "x")).touch()
    (state / "journal.sqlite").touch()
    (state / ".lodestone").unlink()
    install(source, root, "--games", "/data/games")
    install(source, root, "--remove", "--data", "delete")
    assert not state.exists()

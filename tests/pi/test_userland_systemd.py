"""The installed program under a real systemd, in a fresh Debian system: started, watched over, updated, taken away."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.appliance.network_manager import split
from tests.extensions.appliance.installed import VERSION, Publisher
from tests.extensions.appliance.test_real_update import real_source
from tests.pi.userland import PROGRAM, Booted, Fresh, Manifest, needs
from tests.sentences import sentence
from tests.waiting import PATIENCE_S, eventually

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600), needs("native")]
OURS = ("/opt/lodestone", "/etc", "/usr/bin", "/usr/lib/systemd")
CHANGES_BY_ITSELF = ("/etc/ld.so.cache", "/etc/.pwd.lock")
PLAY = """
import json, sys, urllib.request
def ask(path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers |= {"Content-Type": "application/json", "X-Lodestone": "1"}
    with urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8000/api/" + path, data, headers)) as answer:
        return json.loads(answer.read()), answer.headers.get("Set-Cookie", "").partition(";")[0]
for seat, name in ((1, "Ann"), (2, "Bob")):
    ask("join", {"seat": seat, "name": name, "ticket": ask("tickets")[0]["tickets"][str(seat)]})
_, cookie = ask("host/enter", {"token": open("/var/lib/lodestone/host").read().strip()})
ask("host/start", {}, Cookie=cookie)
"""

LODESTONE = "/opt/lodestone/current/.venv/bin/lodestone"
CLUB = f"""
rm -rf /tmp/club
{LODESTONE} club --broker mqtt://127.0.0.1:9 --name Club --data /tmp/club --port 8080 >/tmp/club.log 2>&1 &
club=$!
python3 - <<'END'
import time, urllib.request
for _ in range(600):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8080/metrics", timeout=20).read().decode())
        break
    except OSError:
        time.sleep(0.2)
else:
    raise SystemExit(open("/tmp/club.log").read())
END
told=$?
kill $club
wait $club
exit $told
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """Return a system in which nobody's systemd ran while Lodestone was installed: an image that is being made."""
    fresh = Fresh("native", tmp_path_factory.mktemp("fresh") / "installed")
    printed = fresh.install("--yes", "--board", "sim")
    assert "Lodestone is installed" in printed
    return fresh


@pytest.fixture
def system(installed: Fresh, tmp_path: Path) -> Fresh:
    return installed.copy(tmp_path / "copy")


@pytest.fixture
def booted(system: Fresh) -> Iterator[Booted]:
    with system.booted() as here:
        open_table(here)
        yield here


def open_table(here: Booted) -> dict[str, Any]:
    """Wait for the table; return its state."""
    here.wait("an open table", lambda: here.get("/api/state"))
    state: dict[str, Any] = json.loads(here.get("/api/state"))
    return state


def game(here: Booted) -> dict[str, Any]:
    """Return what makes a game, without what its clocks and its connections change, once its first stones lie.

    A simulated board is empty when its table opens, also after an update.
    """
    eventually(lambda: open_table(here)["phase"] != "setup", "the hand lays the first stones", PATIENCE_S, 0.1)
    state = open_table(here)
    return {key: state[key] for key in ("phase", "turn", "seats", "board", "result") if key in state}


def ours(system: Fresh | Booted) -> Manifest:
    """Return what Lodestone's folders and the system's settings hold, but for what each start writes anew."""
    return {path: told for path, told in system.manifest(*OURS).items() if not path.startswith(CHANGES_BY_ITSELF)}


def test_what_was_installed_without_systemd_opens_at_the_first_start(booted: Booted) -> None:
    assert booted.property("lodestone", "Type") == "notify"
    assert booted.property("lodestone", "ActiveState") == "active"
    assert booted.property("lodestone", "WatchdogUSec") == "5s"
    owner = booted.run("stat", "-c", "%U", f"/proc/{booted.property('lodestone', 'MainPID')}").stdout.strip()
    assert owner == "lodestone"
    assert booted.systemctl("is-active", "lodestone-update.path")[1] == "active"
    assert booted.systemctl("--failed", "--plain", "--no-legend")[1] == ""


def test_a_program_that_stands_still_is_back_with_its_game(booted: Booted) -> None:
    done = booted.run("python3", "-c", PLAY)
    assert done.returncode == 0, done.stderr
    before, process = game(booted), booted.property("lodestone", "MainPID")
    assert (before["phase"], [seat["name"] for seat in before["seats"]]) == ("sealing", ["Ann", "Bob"])
    assert booted.run("kill", "-STOP", process).returncode == 0

    def is_back() -> bool:
        return booted.property("lodestone", "MainPID") not in {process, "0"} and bool(booted.get("/api/state"))

    took = booted.wait("the table is back", is_back)
    print(f"back after {took:.1f} s")  # docs/verified.md tells it; a busy machine is no fault.
    assert game(booted) == before
    assert "Watchdog timeout" in booted.journal()


def test_updates_asked_for_by_the_page_and_back_from_one_that_does_not_start(installed: Fresh, tmp_path: Path) -> None:
    system = installed.copy(tmp_path / "copy")
    fault = "if 'NOTIFY_SOCKET' in os.environ:\n    import a_library_that_is_not_there\n"
    bad, good, later = (Publisher(tmp_path / f"{name} releases") for name in ("bad", "good", "later"))
    bad.publish(real_source(tmp_path / "bad", "98.0.0", fault), "98.0.0")
    good.publish(real_source(tmp_path / "good", "99.0.0"), "99.0.0")
    later.publish(real_source(tmp_path / "later", "100.0.0"), "100.0.0")
    settings = system.changes / "etc/lodestone"
    settings.mkdir(parents=True)
    public = [one.key.with_suffix(".key.pub").read_text() for one in (bad, good, later)]
    (settings / "signers").write_text("".join(f"lodestone {key}" for key in public))
    (system.changes / "var").mkdir()
    bad.folder.rename(system.changes / "var/bad")
    good.folder.rename(system.changes / "var/good")
    later.folder.rename(system.changes / "var/later")
    with system.booted() as here:
        open_table(here)
        assert here.run("python3", "-c", PLAY).returncode == 0
        before = game(here)
        opened = here.run(LODESTONE, "room", "open", "--serve", "--name", "here", "--data", "/var/lib/lodestone")
        assert opened.returncode == 0, opened.stderr
        extensions_work(here)
        told = ask_for_update(here, "/var/bad")
        assert (told["step"], told["version"]) == ("failed", "98.0.0")
        assert "did not come up" in str(told["reason"]), told
        assert game(here) == before
        assert version(here) == VERSION
        extensions_work(here)
        for place, number in (("/var/good", "99.0.0"), ("/var/later", "100.0.0")):
            told = ask_for_update(here, place)
            assert told["step"] == "done", told
            assert game(here) == before
            assert version(here) == number
            extensions_work(here)


def extensions_work(here: Booted) -> None:
    """Hold the running release to what needs the libraries of extensions: its room of far tables, figures, a club."""
    here.wait("the table is in its room", lambda: ": connected" in shown_room(here))
    assert "lodestone_table_info" in here.get("/metrics")
    done = here.run("sh", "-c", CLUB)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lodestone_club_connected" in done.stdout


def shown_room(here: Booted) -> str:
    return here.run(LODESTONE, "room", "show", "--data", "/var/lib/lodestone").stdout


def ask_for_update(here: Booted, place: str) -> dict[str, Any]:
    """Leave the file that the page leaves; return what the updater says at its end."""
    assert here.run("sh", "-c", f"echo {place} >/etc/lodestone/updates").returncode == 0
    assert here.run("touch", "/run/lodestone/update").returncode == 0
    here.wait("the update begins", lambda: here.run("test", "-e", "/run/lodestone/update").returncode != 0)
    here.wait(
        "the update ends", lambda: here.property("lodestone-update", "ActiveState") in {"inactive", "failed"}, 1800
    )
    told: dict[str, Any] = json.loads(here.run("cat", "/opt/lodestone/update.json").stdout)
    return told


def version(here: Booted) -> str:
    return here.run(LODESTONE, "--version").stdout.split()[1]


def test_three_times_under_systemd_is_the_same_and_removed_is_gone(installed: Fresh, tmp_path: Path) -> None:
    system = installed.copy(tmp_path / "copy")
    with system.booted() as here:
        open_table(here)
        once = ours(here)
        for _ in range(2):
            done = here.run("sh", "/source/install.sh", "--yes")
            assert done.returncode == 0, done.stdout + done.stderr
            open_table(here)
            assert ours(here) == once
        done = here.run("sh", "/opt/lodestone/current/install.sh", "--remove", "--data", "delete")
        assert done.returncode == 0, done.stdout + done.stderr
        assert here.property("lodestone", "LoadState") == "not-found"
    assert not any("lodestone" in path for path in system.manifest("/etc", "/opt", "/var/lib"))


PACKAGES = "opt/lodestone/releases/*/.venv/lib/python*/site-packages"
POINTS = {  # What stays once it is there: what is there for a moment is missed on a quick machine.
    "while packages are unpacked": "usr/lib/python3.*/ensurepip",
    "while the program is copied": "opt/lodestone/releases/*/firmware_host/games",
    "while Python's environment is made": f"{PACKAGES}/pip",
    "while pip installs": f"{PACKAGES}/babel",
    "before the release is whole": "opt/lodestone/releases/*/web_panel/__pycache__",
    "after the unit": "etc/systemd/system/lodestone.service",
}
COMPILED_BY_PIP = re.compile(r"/site-packages/cobs/.*\.so$")
"""It has no wheel here, and the name of the folder in which pip compiles it is in the result."""


def test_games_on_a_partition_of_their_own_and_all_else_read_only(installed: Fresh, tmp_path: Path) -> None:
    system = installed.copy(tmp_path / "copy")
    system.install("--games", "/data/lodestone")
    with system.booted(read_only=True) as here:
        open_table(here)
        assert "Read-only file system" in here.run("touch", "/opt/lodestone/one", "/var/lib/one").stderr
        done = here.run("python3", "-c", PLAY.replace("/var/lib/lodestone", "/data/lodestone"))
        assert done.returncode == 0, done.stderr
        before, process = game(here), here.property("lodestone", "MainPID")
        assert here.run("kill", "-KILL", process).returncode == 0
        here.wait("the next start", lambda: here.property("lodestone", "MainPID") not in {process, "0"})
        assert game(here) == before
        assert here.run("test", "-s", "/data/lodestone/journal.sqlite").returncode == 0


NETWORK_MANAGER = """
import json, sys
from firmware_host.extensions.appliance.network_manager import HOTSPOT, NetworkManager, hotspot_keyfile
from firmware_host.extensions.appliance.network_manager import keyfile, uuid_of
manager, ssid, secret = NetworkManager(), bytes.fromhex(sys.argv[1]), sys.argv[2]
before = manager.knows_a_network()
manager._load(manager._kept / "one.nmconnection", keyfile(ssid, "psk", secret, hidden=True))
manager._load(manager._passing / "two.nmconnection", hotspot_keyfile("Lodestone: 1", secret, "wlan0"))
unjoined = manager.knows_a_network()
manager._load(manager._kept / "one.nmconnection", keyfile(ssid, "psk", secret, hidden=True, joined=True))
shown = [manager._run("--show-secrets", "--get-values", "802-11-wireless.ssid,802-11-wireless-security.psk",
         "connection", "show", "uuid", one) for one in (uuid_of(ssid), HOTSPOT)]
try:
    manager.close_hotspot()
    refused = ""
except Exception as error:
    refused = str(error)
kinds = [one.kind for one in manager.devices()]
print(json.dumps([before, unjoined, manager.knows_a_network(), shown, kinds, refused]))
"""


def test_the_real_network_manager_reads_our_profiles_as_they_are_meant(installed: Fresh, tmp_path: Path) -> None:
    system = installed.copy(tmp_path / "copy")
    system.run("apt-get", "install", "--yes", "-qq", "network-manager", "dnsmasq-base")
    name, secret = "Café: \\Wi-Fi;=#", " a secret: \\ ;#= "
    with system.booted() as here:
        here.wait("NetworkManager", lambda: here.run("nmcli", "general").returncode == 0)
        program = ["/opt/lodestone/current/.venv/bin/python", "-c", NETWORK_MANAGER, name.encode().hex(), secret]
        done = here.run(*program)
        assert done.returncode == 0, done.stderr
        before, unjoined, joined, shown, kinds, refused = json.loads(done.stdout)
        assert (before, unjoined, joined) == (False, False, True)
        assert [split(one.rstrip("\n").replace("\n", ":")) for one in shown] == [
            [name, secret],
            ["Lodestone: 1", secret],
        ]
        assert kinds == ["loopback"]
        assert refused == sentence("there is no such network")


def test_an_image_s_stage_installs_what_opens_at_the_first_start(tmp_path: Path) -> None:
    system = Fresh("native", tmp_path / "image")
    steps = PROGRAM / "install/image/stage-lodestone/00-lodestone"
    given = {
        "ROOTFS_DIR": str(system.changes),
        "LODESTONE_SOURCE": str(PROGRAM),
        "LODESTONE_HOTSPOT_PASSWORD": "a b c d e",
    }
    subprocess.run(["bash", "-e", steps / "01-run.sh"], check=True, env={**os.environ, **given})
    system.run("apt-get", "install", "--yes", "-qq", *(steps / "00-packages").read_text().split())
    system.run("bash", f"/source/{(steps / '02-run-chroot.sh').relative_to(PROGRAM)}")
    with system.booted() as here:
        open_table(here)
        here.wait("the hotspot's service", lambda: here.property("lodestone-hotspot", "ActiveState") == "active")
        assert here.run("cat", "/etc/lodestone/hotspot").stdout.splitlines()[1] == "a b c d e"
        assert here.run("stat", "-c", "%a %U", "/etc/lodestone/hotspot").stdout == "600 root\n"
        asks = "from firmware_host.extensions.appliance.hotspot import Wifi; print(Wifi().state())"
        program = ["/opt/lodestone/current/.venv/bin/python", "-c", asks]
        as_table = ["setpriv", "--reuid=lodestone", "--regid=lodestone", "--init-groups", *program]
        here.wait("an answer to the table's account", lambda: "'hotspot': None" in here.run(*as_table).stdout)
        assert "'message': None" in here.run(*as_table).stdout, "nmcli works within the limits of the unit"
        assert here.run("test", "-e", "/usr/src/lodestone").returncode != 0
        assert "a b c d e" not in here.journal()


@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
def test_a_power_cut_at_any_point_and_run_again_is_the_same(point: str, installed: Fresh, tmp_path: Path) -> None:
    system = Fresh("native", tmp_path / "cut")
    system.killed_when(lambda changes: any(changes.glob(point)), "--yes", "--board", "sim")
    system.install("--yes", "--board", "sim")
    assert without_caches(ours(system)) == without_caches(ours(installed))


def without_caches(found: Manifest) -> Manifest:
    """Return what is not written anew by each run of pip or of Debian's packages: names of the files stay."""
    volatile = ("RECORD", "direct_url.json", ".installed", ".python", "/etc/machine-id", "/etc/shadow-", "/etc/group-",
                "/etc/gshadow-", "/etc/passwd-", "ssl/certs/ca-certificates.crt")  # fmt: skip
    return {
        path: ["" if path.endswith(volatile) or COMPILED_BY_PIP.search(path) else told]
        for path, told in found.items()
        if "/etc/apt/" not in path
    }

"""install.sh, run below a folder: the hotspot, and games on a partition of their own."""

from __future__ import annotations

from pathlib import Path

from tests.extensions.appliance.test_install import UNIT, commands, install, root, source

__all__ = ["root", "source"]
HOTSPOT = "etc/lodestone/hotspot"
HOTSPOT_UNIT = "etc/systemd/system/lodestone-hotspot.service"


def with_radio(root: Path, carrier: str) -> None:
    """Give a system NetworkManager, a radio, and a socket for a cable (``carrier`` 1: one is in it)."""
    for name, text in {"usr/bin/nmcli": "", "sys/class/net/eth0/carrier": carrier, "usr/sbin/dnsmasq": ""}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    (root / "sys/class/net/wlan0/wireless").mkdir(parents=True)


def test_the_hotspot_is_for_a_radio_without_a_cable(source: Path, root: Path) -> None:
    with_radio(root, "1\n")
    install(source, root, "--yes")
    assert not (root / HOTSPOT_UNIT).exists()
    (root / "sys/class/net/eth0/carrier").write_text("0\n")
    install(source, root, "--yes", "--wifi-country", "DE")
    name, password = (root / HOTSPOT).read_text().splitlines()
    assert (name[:10], len(name), len(password)) == ("Lodestone-", 14, 10)
    assert (root / HOTSPOT).stat().st_mode & 0o777 == 0o600
    assert "raspi-config nonint do_wifi_country DE" in commands(root)
    assert "systemctl enable lodestone-hotspot" in commands(root)
    install(source, root)
    assert (root / HOTSPOT).read_text().splitlines() == [name, password], "a made-up password stays"
    install(source, root, "--hotspot", "yes", "--hotspot-password", "one that I know")
    assert (root / HOTSPOT).read_text().splitlines()[1] == "one that I know"
    install(source, root, "--hotspot", "no")
    assert "systemctl disable --now lodestone-hotspot" in commands(root)
    assert not (root / HOTSPOT).exists()
    assert not (root / HOTSPOT_UNIT).exists()


def test_without_network_manager_it_says_that_there_is_no_hotspot(source: Path, root: Path) -> None:
    assert "This system has no NetworkManager" in install(source, root, "--hotspot", "yes").stdout
    assert not (root / HOTSPOT_UNIT).exists()


def test_games_on_another_partition(source: Path, root: Path) -> None:
    install(source, root, "--games", "/data/lodestone")
    unit = (root / UNIT).read_text()
    for line in ("Environment=LODESTONE_DATA=/data/lodestone", "WorkingDirectory=/data/lodestone",
                 "ReadWritePaths=/data/lodestone"):  # fmt: skip
        assert line in unit.splitlines()
    assert "StateDirectory" not in unit
    assert "install -d -o lodestone -m 750 /data/lodestone" in commands(root)
    assert "/var/lib/lodestone" not in "".join(line for line in unit.splitlines(True) if line[0] != "#")
    install(source, root)
    assert (root / UNIT).read_text() == unit, "it stays where it was put"

"""An ``nmcli`` of a machine that does not exist: terse output, escapes and exit codes as in nmcli(1).

Its state is a JSON file beside it: devices, networks in reach (with their passwords), profiles, and all that was asked.
"""

import configparser
import json
import sys
from pathlib import Path

STATE = Path(sys.argv[0]).with_name("state.json")


def terse(*fields: str) -> str:
    return ":".join(field.replace("\\", "\\\\").replace(":", "\\:") for field in fields)


def read(path: str) -> dict[str, str]:
    """Return a keyfile as NetworkManager understands it."""
    file = configparser.RawConfigParser(delimiters=("=",))
    assert file.read(path, encoding="utf-8")
    assert Path(path).stat().st_mode & 0o077 == 0, "NetworkManager ignores what others can read"
    told = {f"{section}.{key}": value for section in file.sections() for key, value in file.items(section)}
    told["psk"] = told.get("wifi-security.psk", "").replace("\\s", " ").replace("\\\\", "\\")
    told["ssid"] = bytes(int(number) for number in told["wifi.ssid"].strip(";").split(";")).hex()
    return {**told, "path": path}


def up(state: dict, uuid: str) -> int:
    profile = state["profiles"].get(uuid)
    if profile is None:
        return 10
    radio = next(one for one in state["devices"] if one["type"] == "wifi")
    radio.update(state="disconnected", uuid="")
    if profile["wifi.mode"] != "ap":
        found = [one for one in state["networks"] if one["ssid"] == profile["ssid"]]
        if not found:
            return 10
        if found[0].get("slow"):
            return 3
        if found[0]["password"] != profile["psk"]:
            print("Error: Connection activation failed: (7) Secrets were required, but not provided.", file=sys.stderr)
            return 4
    radio.update(state="connected", uuid=uuid)
    return 0


def main(state: dict, words: list[str]) -> int:
    state["asked"].append(words)
    assert words[:3] == ["--terse", "--escape", "yes"]
    words = words[3:]
    if state.get("dead"):
        print("Error: NetworkManager is not running.", file=sys.stderr)
        return 8
    match words:
        case ["--fields", "DEVICE,TYPE,STATE,CON-UUID", "device", "status"]:
            for one in state["devices"]:
                print(terse(one["name"], one["type"], one["state"], one["uuid"]))
        case ["--fields", "IN-USE,SSID-HEX,SIGNAL,SECURITY", "device", "wifi", "list", "ifname", _, "--rescan", "auto"]:
            for one in state["networks"]:
                if not one.get("hidden"):
                    print(terse(" ", one["ssid"].upper(), str(one["signal"]), one["security"]))
        case ["--fields", "UUID,TYPE,AUTOCONNECT", "connection", "show"]:
            for uuid, one in state["profiles"].items():
                print(terse(uuid, "802-11-wireless", {"false": "no"}.get(one.get("connection.autoconnect", ""), "yes")))
        case ["radio", "wifi", "on"]:
            for one in state["devices"]:
                one["state"] = one["state"].replace("unavailable", "disconnected")
        case ["connection", "load", path]:
            profile = read(path)
            state["profiles"][profile["connection.uuid"]] = profile
        case ["--wait", _, "connection", "up", "uuid", uuid]:
            return up(state, uuid)
        case ["connection", "down", "uuid", uuid]:
            for one in state["devices"]:
                if one["uuid"] == uuid:
                    one.update(state="disconnected", uuid="")
        case ["connection", "delete", "uuid", uuid]:
            Path(state["profiles"].pop(uuid)["path"]).unlink()
        case ["connection", "modify", "uuid", uuid, "connection.autoconnect", "yes"]:
            # With netplan behind it, as in Raspberry Pi OS 13, it takes away the file that was loaded.
            state["profiles"][uuid]["connection.autoconnect"] = "true"
            Path(state["profiles"][uuid]["path"]).rename(STATE.with_name(f"90-NM-{uuid}.yaml"))
        case _:
            print(f"Error: argument '{words[0]}' not understood.", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    told = json.loads(STATE.read_text())
    code = main(told, sys.argv[1:])
    STATE.write_text(json.dumps(told))
    sys.exit(code)

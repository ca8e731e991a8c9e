#!/bin/sh
# Installs Lodestone on Raspberry Pi OS or Debian, repairs it (run it again) and removes it: docs/install.md.
set -eu

USAGE="usage: sudo ./install.sh [OPTION]...
Installs Lodestone: it starts with this computer and is found as http://lodestone.local:8000. Run it again to repair it.
  --board FILE     the board file to play on (a copy goes to /etc/lodestone); \"sim\" is the simulated board (first usual)
  --spi yes|no     switch SPI on: strips on D10, scheme 74hc165-spi, MCP3008
  --i2c yes|no     switch I2C on, at 400 kHz: ADS1115
  --uart yes|no    switch the serial port on the pins on, its console off: a scanner on GPIO 14 and 15
  --network-name yes|no  be lodestone.local in the network, whatever the computer itself is called
  --hotspot yes|no  where no Wi-Fi is known, open one of its own, in which a phone chooses (usual: yes without a cable)
  --hotspot-password WORD  its password, 8 to 63 characters; without it one is made up
  --wifi-country CC  the country whose rules the radio keeps, DE for instance
  --games DIR      keep games and keys there, on another disk or partition, instead of /var/lib/lodestone
  --updates PLACE  the address (or folder) of releases in which updates are looked for; \"none\": nowhere
  --yes            answer what is not answered here with the usual: SPI and I2C yes, UART no, network name yes
  --repair         the same as running it again
  --remove         take away all that was installed; asks about games and keys
  --data keep|delete     with --remove: the answer
  --root DIR       change files below DIR only; write what would be run to DIR/install.commands
Questions that nobody is there to answer leave things as they are."

PACKAGES="python3-venv python3-dev gcc libc6-dev make swig avahi-daemon openssh-client"
PORT=8000

ROOT="" BOARD="" SPI="" I2C="" UART="" NETWORK_NAME="" UPDATES="" DATA="" HOTSPOT="" HOTSPOT_PASSWORD="" WIFI_COUNTRY="" GAMES="" USUAL="" REMOVE="" RESTART=""
OPT=/opt/lodestone STATE=/var/lib/lodestone SETTINGS=/etc/lodestone
UNITS=/etc/systemd/system
UNIT=$UNITS/lodestone.service
RULES=/etc/udev/rules.d/60-lodestone.rules
RECORD=/etc/avahi/services/lodestone.service
AVAHI=/etc/avahi/avahi-daemon.conf
MODULES=/etc/modules-load.d/lodestone.conf
SPIDEV=/etc/modprobe.d/lodestone.conf

say() { printf '%s\n' "$*"; }

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

# Everything that changes the system other than by a file goes through here. Below --root it is only written down.
run() {
    if [ -n "$ROOT" ]; then
        printf '%s\n' "$*" >>"$ROOT/install.commands"
    else
        "$@"
    fi
}

# The same where nothing depends on it.
try() { run "$@" || say "It goes on without: $*"; }

# Puts standard input where $1 says, whole or not at all, with mode $2 (-: that of its file system, which may have none).
place() {
    mkdir -p "$(dirname "$ROOT$1")"
    cat >"$ROOT$1.new"
    [ "$2" = - ] || chmod "$2" "$ROOT$1.new"
    [ -n "$ROOT" ] || sync "$1.new"
    mv -f "$ROOT$1.new" "$ROOT$1"
}

# -- the command line and its questions ----------------------------------------------------------------------------------

read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --repair) ;;
        --remove) REMOVE=yes ;;
        --yes) USUAL=yes ;;
        --help | -h)
            say "$USAGE"
            exit 0
            ;;
        --board | --spi | --i2c | --uart | --network-name | --updates | --data | --root | --hotspot | --hotspot-password | --wifi-country | --games)
            [ $# -ge 2 ] || fail "$1: expected a value after it"
            read_option "$1" "$2"
            shift
            ;;
        *) fail "unknown option $1; ./install.sh --help lists all" ;;
        esac
        shift
    done
}

read_option() {
    case $1 in
    --board) BOARD=$2 ;;
    --updates) UPDATES=$2 ;;
    --root)
        [ -d "$2" ] || fail "--root: $2 is no folder"
        ROOT=$(cd "$2" && pwd -P)
        [ "$ROOT" != / ] || fail "--root: expected another folder than /"
        ;;
    --games)
        GAMES=$2
        ;;
    --hotspot-password)
        case $2 in *[!\ -~]*) fail "--hotspot-password: expected letters, digits and signs of ASCII" ;; esac
        { [ ${#2} -ge 8 ] && [ ${#2} -le 63 ]; } || fail "--hotspot-password: expected 8 to 63 characters"
        HOTSPOT_PASSWORD=$2
        ;;
    --wifi-country)
        case $2 in [A-Z][A-Z]) WIFI_COUNTRY=$2 ;; *) fail "--wifi-country: expected two letters like DE, got $2" ;; esac
        ;;
    --data)
        case $2 in keep | delete) DATA=$2 ;; *) fail "--data: expected keep or delete, got $2" ;; esac
        ;;
    *)
        case $2 in yes | no) ;; *) fail "$1: expected yes or no, got $2" ;; esac
        case $1 in
        --spi) SPI=$2 ;;
        --i2c) I2C=$2 ;;
        --uart) UART=$2 ;;
        --network-name) NETWORK_NAME=$2 ;;
        --hotspot) HOTSPOT=$2 ;;
        esac
        ;;
    esac
}

# Prints yes, no or nothing (leave it as it is). $1: the answer by option, $2: the usual one, $3: the question.
answer() {
    if [ -n "$1" ]; then
        say "$1"
    elif [ -n "$USUAL" ]; then
        say "$2"
    elif [ -t 0 ]; then
        printf '%s [yes/no, Enter leaves it as it is] ' "$3" >&2
        read -r reply || reply=""
        case $reply in y | yes | Y | Yes) say yes ;; n | no | N | No) say no ;; esac
    fi
}

# -- before anything is changed ------------------------------------------------------------------------------------------

check_system() {
    [ -n "$ROOT" ] || [ "$(id -u)" -eq 0 ] || fail "it needs root: sudo ./install.sh"
    [ -n "$ROOT" ] || command -v apt-get >/dev/null || fail "no apt-get: expected Raspberry Pi OS or Debian"
    [ -n "$REMOVE" ] && return
    [ -f "$SOURCE/pyproject.toml" ] || fail "$SOURCE: expected Lodestone's folder, with pyproject.toml"
    if command -v python3 >/dev/null; then
        python3 -IS -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
            fail "$(python3 --version) is too old: Lodestone needs 3.11, which comes with Raspberry Pi OS 12 (Bookworm)"
    fi
    check_board
}

check_board() {
    if [ -z "$BOARD" ] || [ "$BOARD" = sim ]; then
        return
    fi
    for shipped in "$SOURCE"/firmware_host/boards/ "$SOURCE"/firmware_host/extensions/*/boards/; do
        [ -f "$BOARD" ] || [ ! -f "$shipped${BOARD%.toml}.toml" ] || BOARD=$shipped${BOARD%.toml}.toml
    done
    [ -f "$BOARD" ] || fail "--board: no such file: expected a board file, the name of a shipped one, or sim"
    why=$(account_for "$BOARD") || fail "--board: $why"
}

# -- steps, each of which may be repeated --------------------------------------------------------------------------------

install_packages() {
    # shellcheck disable=SC2086 # a list of words
    if [ -z "$ROOT" ] && dpkg-query -W -f '${db:Status-Status}\n' $PACKAGES 2>/dev/null |
        awk '$1 != "installed" { bad = 1 } END { exit bad || NR < '"$(echo $PACKAGES | wc -w)"' }'; then
        return # Repairs itself without a network, too.
    fi
    try dpkg --configure -a # apt-get refuses to go on where a power cut has stopped it.
    try apt-get update
    wanted=""
    for package in $PACKAGES; do
        if [ -n "$ROOT" ] || apt-cache show "$package" >/dev/null 2>&1; then
            wanted="$wanted $package"
        else
            say "This system has no package $package: it goes on without."
        fi
    done
    # What is only recommended would be missing after a power cut: apt-get asks for it with the first try only.
    # shellcheck disable=SC2086
    run env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $wanted
}

has_line() { grep -q "^$1:" "$ROOT$2" 2>/dev/null; }

# Games and keys stay where the last run has put them.
find_games() {
    kept=$(sed -n 's/^Environment=LODESTONE_DATA=//p' "$ROOT$UNIT" 2>/dev/null || true)
    STATE=${GAMES:-${kept:-$STATE}}
}

make_account() {
    has_line lodestone /etc/passwd ||
        run useradd --system --user-group --home-dir "$STATE" --no-create-home --shell /usr/sbin/nologin lodestone
    for group in gpio spi i2c dialout uucp; do
        if has_line $group /etc/group; then
            run usermod --append --groups $group lodestone
        fi
    done
}

# Whose releases are taken, and from where: what is set already stays.
keep_updates() {
    if [ ! -f "$ROOT$SETTINGS/signers" ] && grep -q '^[^#]' "$SOURCE/install/signers"; then
        place $SETTINGS/signers 644 <"$SOURCE/install/signers"
    fi
    case $UPDATES in
    "") ;;
    none) rm -f "$ROOT$SETTINGS/updates" ;;
    *) say "$UPDATES" | place $SETTINGS/updates 644 ;;
    esac
}

keep_board() {
    mkdir -p "$ROOT$SETTINGS"
    case $BOARD in
    "") ;;
    sim) rm -f "$ROOT$SETTINGS/board.toml" ;;
    *) place $SETTINGS/board.toml 644 <"$BOARD" ;;
    esac
}

is_pi5() {
    [ -f "$ROOT/proc/device-tree/model" ] || return 1
    tr -d '\0' <"$ROOT/proc/device-tree/model" | grep -Eq '^Raspberry Pi (5|500|Compute Module 5)( |$)'
}

# Prints root where a strip hangs on PWM or PCM, which are reached through /dev/mem only; else lodestone.
account() {
    if [ ! -f "$ROOT$SETTINGS/board.toml" ] || is_pi5; then
        say lodestone
        return
    fi
    account_for "$ROOT$SETTINGS/board.toml"
}

# The same for one board file on a Pi before the 5; where it can't be read, why.
account_for() {
    command -v python3 >/dev/null || return 0
    if ! pins=$(pixel_pins "$1"); then
        say "$pins"
        return 1
    fi
    if [ -n "$pins" ]; then say root; else say lodestone; fi
}

# Prints the pins of a board file's strips that hang on PWM or PCM of a Pi before the 5; where it can't be read, why.
# D10 and D20 are data outputs of SPI buses.
pixel_pins() {
    python3 -IS - "$1" <<'PYTHON'
import sys
import tomllib

try:
    with open(sys.argv[1], "rb") as file:
        lights = tomllib.load(file).get("lights", {})
except (OSError, ValueError) as error:
    print(f"{sys.argv[1]} is no board file: {error}")
    sys.exit(1)
strips = [lights, lights["second"]] if "second" in lights else [lights]
on_gpio = [one for one in strips if one and one.get("over", "spi" if one.get("pin") in ("D10", "D20") else "gpio") == "gpio"]
print(*(one.get("pin") for one in on_gpio))
PYTHON
}

# Prints what a board file asks of the SPI buses: "timed" for a strip that is timed by the bus (an APA102 has a clock of
# its own), "spi1" for the second bus.
bus_needs() {
    python3 -IS - "$1" <<'PYTHON'
import sys
import tomllib

with open(sys.argv[1], "rb") as file:
    board = tomllib.load(file)
lights = board.get("lights", {})
strips = [one for one in (lights, lights.get("second")) if one]
over = [one for one in strips if one.get("over", "spi" if one.get("pin") in ("D10", "D20") else "gpio") == "spi"]
if any(one.get("scheme", "ws2812") != "apa102" for one in over):
    print("timed", end=" ")
if any(one.get("pin") == "D20" for one in over) or board.get("sensors", {}).get("spi_bus") == 1:
    print("spi1", end=" ")
PYTHON
}

write_unit() {
    board=sim
    [ ! -f "$ROOT$SETTINGS/board.toml" ] || board=$SETTINGS/board.toml
    who=$(account) || fail "$who; mend it, or give another one with --board"
    [ "$who" != root ] ||
        say "The strip is on PWM or PCM: the service runs as root. On D10 (SPI), or on a Pi 5, it would not need to."
    elsewhere=""
    if [ "$STATE" != /var/lib/lodestone ]; then
        claim_games "$who"
        elsewhere="s|^StateDirectory=.*|ReadWritePaths=$STATE|; /^StateDirectoryMode=/d; s|/var/lib/lodestone\$|$STATE|"
    fi
    text=$(sed -e "$elsewhere" -e "s|^ExecStart=.*|ExecStart=$OPT/current/.venv/bin/lodestone play --board $board --port $PORT --resume|" \
        -e "s|^User=.*|User=$who|" "$SOURCE/docs/lodestone.service")
    printf '%s\n' "$text" | place $UNIT 644
    for unit in path service; do
        place $UNITS/lodestone-update.$unit 644 <"$SOURCE/install/lodestone-update.$unit"
    done
}

write_rules() {
    place $RULES 644 <"$SOURCE/install/60-lodestone.rules"
    try udevadm control --reload
    try udevadm trigger --action=add --subsystem-match=tty
}

# avahi-daemon.conf knows the network name on a line of its own; a name that somebody has set stays.
name_in_network() {
    [ -f "$ROOT$AVAHI" ] || return 0
    wish=$(answer "$NETWORK_NAME" yes "Be found as lodestone.local in the network?")
    [ -n "$wish" ] || return 0
    without=$(sed -e '/^# Lodestone:/,/^host-name=/d' "$ROOT$AVAHI")
    if [ "$wish" = yes ] && printf '%s\n' "$without" | grep -q '^host-name='; then
        say "$AVAHI sets another host-name: it stays."
        wish=no
    fi
    text=$(printf '%s\n' "$without" | awk -v wish="$wish" '
        { print }
        wish == "yes" && /^\[server\]/ { print "# Lodestone: its name in the network"; print "host-name=lodestone" }')
    printf '%s\n' "$text" | place $AVAHI 644
}

# -- from the top --------------------------------------------------------------------------------------------------------

# In an image that is being made no systemd runs: what is enabled starts with the Pi.
systemd_runs() { [ -n "$ROOT" ] || [ -d /run/systemd/system ]; }

start_service() {
    if systemd_runs; then
        run systemctl daemon-reload
        try systemctl restart avahi-daemon
    fi
    run systemctl enable lodestone lodestone-update.path
    if systemd_runs; then
        try systemctl restart lodestone-update.path
        run systemctl restart lodestone || say "The table does not open yet; the reason: journalctl -u lodestone"
    fi
}

install_all() {
    install_packages
    make_account
    copy_program
    set_up_program
    keep_board
    keep_updates
    write_unit
    switch_program
    write_rules
    place $RECORD 644 <"$SOURCE/install/avahi.service"
    name_in_network
    write_config
    start_service
    set_up_hotspot
    say "Lodestone is installed: http://lodestone.local:$PORT (or this computer's own address)."
    say "The link for the host: sudo -u $(sed -n 's/^User=//p' "$ROOT$UNIT") env LODESTONE_DATA=$STATE $OPT/current/.venv/bin/lodestone host"
    [ -z "$RESTART" ] || say "Settings of the Pi have changed: restart it (sudo reboot)."
}

remove_all() {
    remove_hotspot
    if systemd_runs; then
        try systemctl disable --now lodestone lodestone-update.path
    else
        try systemctl disable lodestone lodestone-update.path
    fi
    rm -f "$ROOT$UNIT" "$ROOT$UNITS/lodestone-update.path" "$ROOT$UNITS/lodestone-update.service" "$ROOT$RULES" "$ROOT$RECORD" "$ROOT$MODULES" "$ROOT$SPIDEV"
    NETWORK_NAME=no
    name_in_network
    CONFIG=$(config_file)
    if [ -n "$CONFIG" ]; then
        save_config ""
        if cmp -s "$ROOT$CONFIG" "$ROOT$CONFIG.before-lodestone"; then
            rm -f "$ROOT$CONFIG.before-lodestone"
        fi
    fi
    take_away "$OPT" "$OPT_NAMES"
    take_away "$CACHE" "$CACHE_NAMES"
    remove_data
    if systemd_runs; then
        run systemctl daemon-reload
        try udevadm control --reload
        try systemctl restart avahi-daemon
    fi
    say "Lodestone is removed. Debian's packages stay: others may use them."
}

remove_data() {
    if [ -z "$DATA" ] && [ -t 0 ]; then
        printf 'Delete all games and keys, too (%s)? [yes/NO] ' "$STATE" >&2
        read -r reply || reply=""
        [ "$reply" != yes ] || DATA=delete
    fi
    if [ "$DATA" = delete ]; then
        # What `lodestone restore` has put aside, too.
        for folder in "$ROOT$STATE" "$ROOT$STATE".before-[0-9]*Z; do
            take_away "${folder#"$ROOT"}" "$DATA_NAMES"
        done
        take_away "$SETTINGS" "$SETTINGS_NAMES"
        if has_line lodestone /etc/passwd; then
            run userdel lodestone
        fi
    else
        say "Games and keys stay in $STATE, the board file in $SETTINGS."
    fi
}

main() {
    SOURCE=$(cd "$(dirname "$0")" && pwd -P)
    # shellcheck source=install/config.sh
    . "$SOURCE/install/config.sh"
    # shellcheck source=install/folders.sh
    . "$SOURCE/install/folders.sh"
    # shellcheck source=install/releases.sh
    . "$SOURCE/install/releases.sh"
    # shellcheck source=install/hotspot.sh
    . "$SOURCE/install/hotspot.sh"
    read_options "$@"
    [ -n "$REMOVE" ] || [ -d "$SOURCE/firmware_host/extensions/appliance" ] ||
        fail "this copy lacks firmware_host/extensions/appliance, which an installed table needs: play with make play"
    check_system
    find_games
    check_folders
    umask 022
    [ -z "$ROOT" ] || : >"$ROOT/install.commands"
    if [ -n "$REMOVE" ]; then
        cd /
        remove_all
    else
        install_all
    fi
}

# The shell reads no further, whatever becomes of this file meanwhile.
main "$@"; exit

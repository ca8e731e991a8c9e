# A part of install.sh: a hotspot where this computer knows no network, to choose one from a phone (docs/install.md).
# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # install.sh has the other ends of its variables.

HOTSPOT_UNIT=$UNITS/lodestone-hotspot.service
HOTSPOT_FILE=$SETTINGS/hotspot

# The usual answer: yes where there is a radio and no cable.
usual_hotspot() {
    for cable in "$ROOT"/sys/class/net/e*/carrier; do
        if [ "$(cat "$cable" 2>/dev/null)" = 1 ]; then
            say no
            return
        fi
    done
    for radio in "$ROOT"/sys/class/net/*/wireless; do
        if [ -d "$radio" ]; then
            say yes
            return
        fi
    done
    say no
}

set_up_hotspot() {
    wish=$(answer "$HOTSPOT" "$(usual_hotspot)" "Where no Wi-Fi is known, open a hotspot to choose one from a phone?")
    if [ "$wish" = no ]; then
        remove_hotspot
    elif [ "$wish" = yes ] || [ -f "$ROOT$HOTSPOT_FILE" ]; then
        open_hotspot
    fi
}

open_hotspot() {
    if [ ! -x "$ROOT/usr/bin/nmcli" ]; then
        say "This system has no NetworkManager, so there is no hotspot: sudo apt install network-manager, then run this again."
        return
    fi
    [ -x "$ROOT/usr/sbin/dnsmasq" ] || try env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends dnsmasq-base
    if [ ! -f "$ROOT$HOTSPOT_FILE" ] || [ -n "$HOTSPOT_PASSWORD" ]; then
        [ -n "$HOTSPOT_PASSWORD" ] || HOTSPOT_PASSWORD=$(letters 10)
        printf 'Lodestone-%s\n%s\n' "$(letters 4)" "$HOTSPOT_PASSWORD" | place "$HOTSPOT_FILE" 600
    fi
    if [ -n "$WIFI_COUNTRY" ]; then
        try raspi-config nonint do_wifi_country "$WIFI_COUNTRY"
    fi
    place "$HOTSPOT_UNIT" 644 <"$SOURCE/install/lodestone-hotspot.service"
    run systemctl enable lodestone-hotspot
    if systemd_runs; then
        run systemctl daemon-reload
        try systemctl restart lodestone-hotspot
    fi
    say "The hotspot's name and password are in $HOTSPOT_FILE (sudo cat); in it http://10.42.0.1:$PORT/network chooses a Wi-Fi."
}

remove_hotspot() {
    if [ -f "$ROOT$HOTSPOT_UNIT" ]; then
        if systemd_runs; then
            try systemctl disable --now lodestone-hotspot
        else
            run systemctl disable lodestone-hotspot
        fi
    fi
    rm -f "$ROOT$HOTSPOT_UNIT" "$ROOT$HOTSPOT_FILE"
}

# $1 letters and digits by chance, none of which looks like another.
letters() {
    LC_ALL=C tr -dc 'abcdefghijkmnpqrstuvwxyz23456789' </dev/urandom | head -c "$1"
}

# A part of install.sh: the settings of a Raspberry Pi in config.txt, between two lines of our own at its end.
# shellcheck shell=sh disable=SC2034,SC2153 # install.sh has the other ends of its variables.

BEGIN_WORDS="# Lodestone: begin"
BEGIN="$BEGIN_WORDS (install.sh writes what is between these lines anew)"
END="# Lodestone: end"

config_file() {
    for file in /boot/firmware/config.txt /boot/config.txt; do
        if [ -f "$ROOT$file" ]; then
            say $file
            return
        fi
    done
}

# Prints the lines of the file $2 that are not ours ($1 = 0), or ours (1). A block that nothing ends is not ours.
lines() {
    awk -v own="$1" -v begin="$BEGIN" -v end="$END" '
        { line = $0; sub(/[ \t\r]+$/, "", line) }
        line == begin { if (!own) printf "%s", block; ours = 1; block = ""; next }
        ours && line == end { if (own) printf "%s", block; ours = 0; block = ""; next }
        ours { block = block (own ? line : $0) "\n"; next }
        !own { print }
        END { if (!own) printf "%s", block }' "$2"
}

# Tells whether "$2=..." stands in the file $1 for every Pi, and its last value is $3: dtparam's parts count one by one.
set_to() {
    lines 0 "$1" | tr -d '\r' | awk -v key="$2" -v value="$3" '
        /^\[/ { others = $0 != "[all]" }
        /^#/ || others { next }
        { line = $0; gsub(/[ \t]/, "", line); sub(/^dtparam=/, "", line); n = split(line, parts, ",")
          for (i = 1; i <= n; i++) if (index(parts[i], key "=") == 1) last = substr(parts[i], length(key) + 2) }
        END { exit last != value }'
}

# Adds the line $3 to LINES where it is wished ($1), or was ours and nothing else is said. $2 is what it sets: key=value.
wish_line() {
    case $1 in
    no) return ;;
    "") lines 1 "$ROOT$CONFIG" | grep -qxF "$3" || return 0 ;;
    esac
    set_to "$ROOT$CONFIG" "${2%%=*}" "${2#*=}" || LINES="$LINES$3
"
}

# Prints yes if a strip hangs on a pin of the PWM that a Pi before the 5 makes its analogue sound with, else no
# (rpi_ws281x, README, "Limitations").
strip_on_pwm() {
    if [ -f "$ROOT$SETTINGS/board.toml" ] && ! is_pi5; then
        for pin in $(pixel_pins "$ROOT$SETTINGS/board.toml"); do
            case $pin in D12 | D13 | D18 | D19)
                say yes
                return
                ;;
            esac
        done
    fi
    say no
}

# Prints the lines without which the SPI clock of this Pi changes with its load, if a strip is timed by it and config.txt
# says nothing of its own.
core_clock() {
    [ -f "$ROOT$SETTINGS/board.toml" ] || return 0
    case " $(bus_needs "$ROOT$SETTINGS/board.toml") " in *" timed "*) ;; *) return 0 ;; esac
    ! lines 0 "$ROOT$CONFIG" | grep -Eq '^[[:space:]]*core_freq(_min)?[[:space:]]*=' || return 0
    python3 -BIS - "$SOURCE" "${ROOT:-/}" <<'PYTHON'
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from hw import pi

print(*pi.core_clock(Path(sys.argv[2])), sep="\n")
PYTHON
}

# Prints the line that switches the second SPI bus on, if the board uses it and config.txt loads no overlay of it.
second_spi() {
    [ -f "$ROOT$SETTINGS/board.toml" ] || return 0
    case " $(bus_needs "$ROOT$SETTINGS/board.toml") " in *" spi1 "*) ;; *) return 0 ;; esac
    lines 0 "$ROOT$CONFIG" | grep -Eq '^[[:space:]]*dtoverlay=spi1-' || say dtoverlay=spi1-2cs
}

# Asks for each setting. What is not answered stays as it is.
write_config() {
    CONFIG=$(config_file)
    if [ -z "$CONFIG" ]; then
        say "No config.txt: this is no Raspberry Pi, so no pins are set up."
        return
    fi
    spi=$(answer "$SPI" yes "Switch SPI on (strips on D10, 74hc165-spi, MCP3008)?")
    i2c=$(answer "$I2C" yes "Switch I2C on, at 400 kHz (ADS1115)?")
    uart=$(answer "$UART" no "Switch the serial port on the pins on, and its console off (a scanner on GPIO 14 and 15)?")
    LINES=""
    wish_line "$spi" spi=on dtparam=spi=on
    wish_line "$i2c" i2c_arm=on dtparam=i2c_arm=on
    wish_line "$i2c" i2c_arm_baudrate=400000 dtparam=i2c_arm_baudrate=400000
    wish_line "$uart" enable_uart=1 enable_uart=1
    if is_pi5; then
        wish_line "$uart" uart0=on dtparam=uart0=on
    fi
    wish_line "$(strip_on_pwm)" audio=off dtparam=audio=off
    clock=$(core_clock)
    for line in $(second_spi) $clock; do
        LINES="$LINES$line
"
    done
    if [ -n "$clock" ]; then
        say "The strip on D10 is timed by SPI, whose clock follows the core clock: that stays the same now (core_freq)."
    fi
    case $LINES in
    *audio=off*)
        say "The strip is on PWM, which the analogue sound would disturb: that sound is switched off (dtparam=audio=off)."
        ;;
    esac
    save_config "$LINES"
    if [ "$spi" = yes ]; then
        [ -f "$ROOT$SPIDEV" ] || RESTART=yes
        say "options spidev bufsiz=32768" | place "$SPIDEV" 644
    elif [ "$spi" = no ]; then
        rm -f "$ROOT$SPIDEV"
    fi
    if [ "$i2c" = yes ]; then
        say i2c-dev | place "$MODULES" 644
    elif [ "$i2c" = no ]; then
        rm -f "$ROOT$MODULES"
    fi
    if [ "$uart" = yes ] && [ -n "$ROOT$(command -v raspi-config)" ]; then
        try raspi-config nonint do_serial_cons 1
    fi
}

# Writes config.txt with our lines $1 at its end; the file as it was before the first change is kept beside it.
save_config() {
    if [ -z "$1" ] && ! grep -q "^$BEGIN_WORDS" "$ROOT$CONFIG"; then
        return 0
    fi
    kept=$CONFIG.before-lodestone
    {
        lines 0 "$ROOT$CONFIG"
        [ -z "$1" ] || printf '%s\n[all]\n%s%s\n' "$BEGIN" "$1" "$END"
    } >"$ROOT$CONFIG.wanted"
    if cmp -s "$ROOT$CONFIG.wanted" "$ROOT$CONFIG"; then
        rm -f "$ROOT$CONFIG.wanted"
        return
    fi
    if [ ! -f "$ROOT$kept" ]; then
        place "$kept" - <"$ROOT$CONFIG"
    fi
    place "$CONFIG" - <"$ROOT$CONFIG.wanted"
    rm -f "$ROOT$CONFIG.wanted"
    RESTART=yes
}

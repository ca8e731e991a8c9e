# A part of install.sh: which folders may be ours, and what is taken away from them again.
#
# Root makes, hands over and deletes here, so a folder that somebody names is ours only if it was missing or empty when
# we came (then it carries our marker), and nobody else can put another one in its place. What is taken away is named
# one by one: whatever else is in a folder stays, and the folder with it.
# shellcheck shell=sh disable=SC2034,SC2153 # install.sh has the other ends of its variables.

MARKER=.lodestone
CACHE=/var/cache/lodestone
OPT_NAMES="releases current guard guard.new trial trial.new update.json .update.json.new .trial.new .current.new .current.back .lock"
SETTINGS_NAMES="board.toml board.toml.new signers signers.new updates updates.new hotspot hotspot.new"
# pip's own.
CACHE_NAMES="http http-v2 wheels selfcheck"
# The lists that the program and its backups read, too: the core's, and those of extensions.
DATA_NAMES=$(cd "$SOURCE/firmware_host" &&
    find archive extensions -name contents.toml -exec sed -n 's/^"\([^"]*\)" = .*/\1/p' {} + 2>/dev/null)

# Where we write, below --root, too.
PLACES="$OPT $SETTINGS $CACHE /var/lib/lodestone $UNITS /etc/udev/rules.d /etc/avahi/services /etc/modules-load.d /etc/modprobe.d
    /boot/firmware /boot"

# Prints why the folder $1 can't be ours; nothing if it can.
refusal() {
    case $1 in
    "" | [!/]* | / | */ | *//* | */./* | */. | */../* | */.. | *[!A-Za-z0-9/._-]*)
        say "expected a path like /data/lodestone, got $1"
        return
        ;;
    esac
    case $1/ in
    /var/lib/lodestone/ | /var/lib/lodestone.before-*/) ;;
    /home/?* | /root/*)
        say "$1 is in somebody's home: expected a folder of its own, like /data/lodestone"
        return
        ;;
    /bin/* | /boot/* | /dev/* | /etc/* | /home/ | /lib/* | /lib32/* | /lib64/* | /lost+found/* | /media/ | /mnt/ | /opt/ | "$OPT"/* | \
        /proc/* | /run/* | /sbin/* | /srv/ | /sys/* | /tmp/* | /usr/* | /var/*)
        say "$1 is the system's: expected a folder of its own, like /data/lodestone"
        return
        ;;
    esac
    if cut -d: -f1,6 "$ROOT/etc/passwd" 2>/dev/null | grep -v '^lodestone:' | grep -q ":$1/*\$"; then
        say "$1 is somebody's home: expected a folder of its own, like /data/lodestone"
        return
    fi
    why=$(detour "$1")
    if [ -n "$why" ]; then
        say "$why"
    elif [ "${1%.before-*}" != /var/lib/lodestone ] && [ ! -f "$ROOT$1/$MARKER" ]; then
        names=$DATA_NAMES
        [ -f "$ROOT$1/journal.sqlite" ] || names=""
        other=$(foreign "$1" "$names")
        [ -z "$other" ] || say "$1 is not Lodestone's, there is $other in it: expected a folder that is missing or empty"
    fi
}

# Prints why the way to the folder $1 could lead elsewhere: a link, another's folder on the way, a disk of its own.
detour() {
    rest=${1#/} way=""
    owner=$(stat -c %u "$ROOT/")
    while [ -n "$rest" ]; do
        way=$way/${rest%%/*}
        case $rest in */*) rest=${rest#*/} ;; *) rest="" ;; esac
        if [ -L "$ROOT$way" ]; then
            say "$way is a link: expected the folder itself"
            return
        fi
        [ -e "$ROOT$way" ] || return 0
        if [ ! -d "$ROOT$way" ]; then
            say "$way is a file: expected a folder, or a path at which there is nothing yet"
            return
        fi
        if [ -n "$rest" ] && { [ "$(stat -c %u "$ROOT$way")" != "$owner" ] || [ -n "$(find "$ROOT$way" -maxdepth 0 -perm -002)" ]; }; then
            say "others than root may change $way: expected folders of root's on the way to $1"
            return
        fi
    done
    if mountpoint -q "$ROOT$1"; then
        say "$1 is a disk of its own: expected a folder on it, like $1/lodestone"
    fi
}

# Prints a name in the folder $1 that is none of the names $2.
foreign() {
    for path in "$ROOT$1"/* "$ROOT$1"/.[!.]* "$ROOT$1"/..?*; do
        { [ -e "$path" ] || [ -L "$path" ]; } || continue
        is_named "${path##*/}" "$2" || say "${path##*/}"
    done | head -n 1
}

# Tells whether the name $1 is one of the patterns $2.
is_named() {
    set -f
    for pattern in $2; do
        # shellcheck disable=SC2254 # It is a pattern.
        case $1 in $pattern)
            set +f
            return 0
            ;;
        esac
    done
    set +f
    return 1
}

# Before anything is changed: no folder of ours is elsewhere than it seems.
check_folders() {
    for place in $PLACES; do
        [ -z "$ROOT" ] || case $(readlink -m "$ROOT$place")/ in "$ROOT"/*) ;; *) fail "--root: $place leads out of $ROOT" ;; esac
    done
    for place in "$OPT" "$SETTINGS" "$CACHE"; do
        why=$(detour "$place")
        [ -z "$why" ] || fail "$why"
    done
    why=$(refusal "$STATE")
    # What an older installer has taken in spite of this stays, and the rest can be removed.
    [ -z "$why" ] || { [ -n "$REMOVE" ] && [ -z "$GAMES" ]; } || fail "--games: $why"
}

# Makes the folder of games for the account $1. From now on it is known as ours. Noclobber follows no link.
claim_games() {
    mkdir -p "$ROOT$STATE"
    if [ ! -e "$ROOT$STATE/$MARKER" ] && [ ! -L "$ROOT$STATE/$MARKER" ]; then
        (set -C && say "Lodestone keeps games and keys here (docs/install.md)." >"$ROOT$STATE/$MARKER")
    fi
    run install -d -o "$1" -m 750 "$STATE"
}

# Takes what has one of the names $2 away from the folder $1, then the folder if nothing else is in it.
take_away() {
    { [ -e "$ROOT$1" ] || [ -L "$ROOT$1" ]; } || return 0
    case $1 in
    "$OPT" | "$SETTINGS" | "$CACHE") why=$(detour "$1") ;;
    *) why=$(refusal "$1") ;;
    esac
    if [ -n "$why" ]; then
        say "$1 stays: $why."
        return
    fi
    for path in "$ROOT$1"/* "$ROOT$1"/.[!.]*; do
        if is_named "${path##*/}" "$2"; then
            rm -rf --one-file-system "$path"
        fi
    done
    rmdir "$ROOT$1" 2>/dev/null || say "$1 stays: there is $(foreign "$1" "$2") in it, which is not Lodestone's."
}

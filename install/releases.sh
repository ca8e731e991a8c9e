# A part of install.sh: releases side by side, and the link to the one that the service starts (update.md).
# shellcheck shell=sh

# The program's own copy: a release beside those that are there already, named by its version and its content. What has
# not changed keeps its time, so that nothing is compiled anew without need.
copy_program() {
    if [ "$(dirname "$SOURCE")" = "$ROOT$OPT/releases" ]; then
        RELEASE=$OPT/releases/$(basename "$SOURCE")
        return
    fi
    fresh=$ROOT$OPT/releases/.new
    rm -rf "$fresh"
    mkdir -p "$fresh"
    tar -C "$SOURCE" --exclude=./.git --exclude=./.venv --exclude=./build --exclude=./tests --exclude=__pycache__ \
        --exclude='*.egg-info' --exclude='./.*_cache' --exclude=./.hypothesis --exclude='*.so' \
        --exclude=compiled.hashes --exclude=node_modules -cf - . | tar -C "$fresh" --no-same-owner -xf -
    chmod -R u=rwX,go=rX "$fresh"
    digest=$(cd "$fresh" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$fresh/pyproject.toml")
    RELEASE=$OPT/releases/$version-$(printf %.12s "$digest")
    if [ ! -d "$ROOT$RELEASE" ]; then
        mv "$fresh" "$ROOT$RELEASE"
        return
    fi
    (cd "$ROOT$RELEASE" && find . -path ./.venv -prune -o -name __pycache__ -prune -o -path './*.egg-info' -prune -o \
        ! -type d ! -name '*.so' ! -name compiled.hashes ! -path ./.whole -print) | while IFS= read -r file; do
        [ -e "$fresh/$file" ] || rm -f "$ROOT$RELEASE/$file"
    done
    (cd "$fresh" && find . -type d -print) | while IFS= read -r folder; do
        mkdir -p "$ROOT$RELEASE/$folder"
        chmod 755 "$ROOT$RELEASE/$folder"
    done
    (cd "$fresh" && find . ! -type d -print) | while IFS= read -r file; do
        if cmp -s "$fresh/$file" "$ROOT$RELEASE/$file"; then
            chmod --reference="$fresh/$file" "$ROOT$RELEASE/$file"
        else
            mv -f "$fresh/$file" "$ROOT$RELEASE/$file"
        fi
    done
    find "$ROOT$RELEASE" -type d -empty ! -path '*/.venv/*' -delete
    rm -rf "$fresh"
}

# Libraries for this very Pi and the compiled search; what is there already is not fetched again.
set_up_program() {
    run make -C "$RELEASE" --no-print-directory setup
    # The service may not write there: without this each start would read the whole text anew.
    run "$RELEASE/.venv/bin/python" -m compileall -q \
        "$RELEASE/firmware_host" "$RELEASE/hw" "$RELEASE/lodestone" "$RELEASE/simulator" "$RELEASE/web_panel"
    run "$RELEASE/.venv/bin/lodestone" --version
    run sync
    : | place "$RELEASE/.whole" 644
    place "$OPT/guard" 755 <"$ROOT$RELEASE/install/guard"
}

# From here on the service starts this release. The one before stays, as after an update.
switch_program() {
    before=$(readlink "$ROOT$OPT/current" || true)
    rm -f "$ROOT$OPT/trial" "$ROOT$OPT/.current.new"
    ln -s "releases/$(basename "$RELEASE")" "$ROOT$OPT/.current.new"
    mv -fT "$ROOT$OPT/.current.new" "$ROOT$OPT/current"
    for folder in "$ROOT$OPT/releases"/*; do
        case releases/$(basename "$folder") in
        "$before" | "releases/$(basename "$RELEASE")") ;;
        releases/[0-9]*-????????????) rm -rf "$folder" ;;
        esac
    done
}

#!/bin/bash -e
# Outside the image: what is committed goes in, with the answers to the installer's questions.
target=$ROOTFS_DIR/usr/src/lodestone
rm -rf "$target"
mkdir -p "$target"
git -C "$LODESTONE_SOURCE" -c safe.directory="$LODESTONE_SOURCE" archive HEAD | tar -x -C "$target"
printf '%s\n' "$LODESTONE_HOTSPOT_PASSWORD" >"$target/.hotspot-password"

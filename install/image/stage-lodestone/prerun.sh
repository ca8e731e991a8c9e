#!/bin/bash -e
# copy_previous is pi-gen's.
if [ ! -d "$ROOTFS_DIR" ]; then
    copy_previous
fi

# shellcheck shell=bash
# Inside the image, where no systemd runs: all is enabled, and starts with the Pi.
set -e
cd /usr/src/lodestone
password=$(cat .hotspot-password)
rm .hotspot-password
./install.sh --yes --board sim --uart no --hotspot yes --hotspot-password "$password" </dev/null
cd /
rm -rf /usr/src/lodestone /root/.cache/pip

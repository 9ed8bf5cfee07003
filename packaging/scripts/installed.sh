#!/bin/sh
# After an installation or an upgrade: the user of the daemon, and a daemon that runs is
# started anew.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers --root="${DPKG_ROOT:-/}" polya.conf
fi
if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart polya.service || true # the log says what is wrong with it
fi

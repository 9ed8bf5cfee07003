#!/bin/sh
# After an installation or an upgrade of polya-fleet: a node that runs is started anew.
set -e
if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart polya-fleet.service || true # the log says what is wrong with it
fi

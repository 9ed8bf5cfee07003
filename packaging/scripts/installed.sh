#!/bin/sh
# After an installation or an upgrade: the user of the daemon and his folder, and a daemon that
# runs is started anew.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers --root="${DPKG_ROOT:-/}" polya.conf
elif [ -z "${DPKG_ROOT:-}" ] && ! id polya >/dev/null 2>&1; then
	useradd --system --user-group --no-create-home --home-dir /var/lib/polya \
		--shell /usr/sbin/nologin --comment "polya, a classifier of mail" polya
fi
if [ -z "${DPKG_ROOT:-}" ] && [ ! -d /var/lib/polya ]; then # root trains before the daemon starts
	install -d -m 0750 -o polya -g polya /var/lib/polya
fi
if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart polya.service polya-spool.service || true # the log says what is wrong with it
fi

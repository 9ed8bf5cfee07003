#!/bin/sh
# Before polya-fleet is removed (dpkg says remove, and rpm 0), and not before it is upgraded.
set -e
case "$1" in
remove | 0)
	if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
		systemctl disable --now polya-fleet.service || true
	fi
	;;
esac

#!/bin/sh
# Before polya is removed (dpkg says remove, and rpm 0), and not before it is upgraded.
# What was learned stays in /var/lib/polya.
set -e
case "$1" in
remove | 0)
	if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
		systemctl disable --now polya.service polya-spool.service polya.socket polya-milter.socket || true
	fi
	;;
esac

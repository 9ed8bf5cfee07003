#!/bin/sh
# Cuts a corpus into DIR/train/CLASS/ and DIR/test/CLASS/ as corpora.py says, for
# `polya eval --train DIR/train --test DIR/test`.
#
#     cut.sh CORPUS PROTOCOL DIR
#
# Files are linked where that is possible and else copied. PYTHON is the
# interpreter, python3 by default.
set -eu
corpus=${1:?CORPUS} protocol=${2:?PROTOCOL} dir=${3:?DIR}
here=$(dirname "$0")
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
"${PYTHON:-python3}" "$here/corpora.py" "$corpus" "$protocol" "$lists/train" "$lists/test"
for part in train test; do
	while IFS="$(printf '\t')" read -r class path; do
		mkdir -p "$dir/$part/$class"
		case $path in /*) ;; *) path=$corpus/$path ;; esac
		ln "$path" "$dir/$part/$class/" 2>/dev/null || cp "$path" "$dir/$part/$class/"
	done <"$lists/$part"
done

#!/usr/bin/env bash
# bash packaging/build.sh         makes the programs and packages of the version in VERSION in dist
# bash packaging/build.sh GOOS/GOARCH…    makes those of these systems only
#
# The same commit, built with the same Go, gives the same bytes in every folder. DIST is
# another folder for dist; COMMIT and SOURCE_DATE_EPOCH are for sources without git. TOOLS are the
# programs that have packages of their own; an empty one leaves them out.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
dist=${DIST:-$PWD/dist}
export GOWORK=off CGO_ENABLED=0 GOENV=off
VERSION=$(cat VERSION)
COMMIT=${COMMIT:-$(git describe --always --abbrev=12 --match=NONE --dirty)}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export VERSION COMMIT SOURCE_DATE_EPOCH

tools=${TOOLS-polya-fleet polya-count} # for Linux on amd64 and arm64
flags=(-trimpath -buildvcs=false)
module=github.com/polya-classifier/polya/cmd/internal/command
flags+=(-ldflags "-s -w -X $module.release=$VERSION -X $module.commit=$COMMIT")
programs() { go build "${flags[@]}" -o "$1/" ./cmd/polya ./cmd/polyad; }

# tool builds a program that is a module of its own, and of which there is a package only.
tool() { go -C "cmd/$1" build "${flags[@]}" -o "$2/" .; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go -C packaging build "${flags[@]}" -o "$scratch/packaging" .
mkdir "$scratch/runs"
programs "$scratch/runs"
for tool in $tools; do tool "$tool" "$scratch/runs"; done
host=$(go env GOOS)/$(go env GOARCH)

mkdir -p "$dist"
rm -f "$dist"/polya[-_]*"$VERSION"* "$dist/SHA256SUMS"
[ $# -gt 0 ] || set -- {linux,darwin,windows,freebsd}/{amd64,arm64} linux/386
for target; do
	export GOOS=${target%/*} ARCH=${target#*/}
	name=polya-$VERSION-$GOOS-$ARCH formats=
	[ $GOOS != linux ] || formats='deb rpm apk archlinux'
	mkdir "$scratch/$name"
	if [ "$target" = "$host" ]; then
		cp "$scratch/runs"/polya{,d} "$scratch/$name"
	else
		GOARCH=$ARCH programs "$scratch/$name"
	fi
	(unset GOOS && "$scratch/packaging" "$scratch/$name" "$scratch/runs" $formats)
	(cd "$scratch/$name" && rm -r copyright.debian changelog polya.toml doc)
	cp LICENSE CHANGELOG.md "$scratch/$name"
	cp "$scratch/$name/polya.cdx.json" "$scratch/$name.cdx.json"
	tar -C "$scratch" --sort=name --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -c "$name" | gzip -9n >"$scratch/$name.tar.gz"
	rm -r "${scratch:?}/$name"
	for tool in $tools; do
		[[ $target = linux/*64 ]] || continue
		mkdir "$scratch/$tool"
		if [ "$target" = "$host" ]; then
			cp "$scratch/runs/$tool" "$scratch/$tool"
		else
			GOARCH=$ARCH tool "$tool" "$scratch/$tool"
		fi
		(unset GOOS && "$scratch/packaging" "$scratch/$tool" "$scratch/runs" $formats)
		rm -r "${scratch:?}/$tool"
	done
	mv "$scratch"/polya[-_]* "$dist"
	echo "$target done"
done
(cd "$dist" && sha256sum polya[-_]*"$VERSION"* >SHA256SUMS)

#!/usr/bin/env bash
# Passes all tests: formatting, vet, staticcheck, tests with the race detector,
# a short fuzz of every parser, and builds for the other systems. It installs
# what it needs beside Go on a Debian machine, and says what it had to leave out.
set -euo pipefail
cd "$(dirname "$0")"

# go's ./... leaves out folders called testdata; two of ours hold packages.
packages="./... ./testdata ./testdata/generate"
fuzz_time="${FUZZ_TIME:-5s}"

say() { printf '\n== %s\n' "$*"; }

# The race detector also checks pointers. bbolt reads a bucket that is damaged past
# its end, which kills a test of damaged files instead of failing it, so that its
# pointers are not checked; ours are.
race="-race -gcflags=go.etcd.io/bbolt/...=-d=checkptr=0"

# Compiling by the profile of cmd/polya takes twice as long and changes no answer.
export GOFLAGS=-pgo=off
if ! command -v cc >/dev/null; then
	say "installing gcc, which the race detector needs"
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get update -q && apt-get install -qy gcc libc6-dev
	fi
	if ! command -v cc >/dev/null; then
		echo "SKIPPED: the race detector: no C compiler, and none could be installed"
		race=
		[ -z "${CI:-}" ] || exit 1
	fi
fi

say "formatting"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not gofmt-ed: $unformatted"
	exit 1
fi

say "vet and staticcheck"
go vet $packages
go tool staticcheck $packages

say "tests${race:+ with the race detector}"
go test -count=1 $race -timeout 20m $packages

say "tests of memory, without the race detector, which takes its own"
go test -count=1 -run Alloc -v ./tokenize/... | tee /dev/stderr | grep -q '^--- PASS: TestAllocations'

# Tests in which one goroutine works, and those that record a process, leave
# themselves out above.
say "tests of the store without the race detector"
go test -count=1 -timeout 20m ./store ./benchmarks/crash/... ./benchmarks/bombs

# fuzz runs one target. When the time is up, go test now and then takes the end of
# its own workers for a failure, "context deadline exceeded", with no input to
# show for it: that is tried once more, whatever else is found is not.
fuzz() {
	fuzz_once "$@" && return
	grep -q 'context deadline exceeded' "$fuzz_log" && ! grep -q 'Failing input' "$fuzz_log" || return 1
	echo "time was up with nothing found; once more"
	fuzz_once "$@"
}

fuzz_once() {
	go test -run '^$' -fuzz "^$2\$" -fuzztime "$fuzz_time" -fuzzminimizetime 10x "$1" </dev/null >"$fuzz_log" 2>&1 && cat "$fuzz_log" && return
	cat "$fuzz_log"
	return 1
}

say "fuzzing each parser for $fuzz_time"
fuzzed=$(mktemp)
fuzz_log=$(mktemp)
trap 'rm -f "$fuzzed" "$fuzz_log"' EXIT
go list -f '{{$p := .ImportPath}}{{range .TestGoFiles}}{{$p}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$p}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}' ./... |
	while read -r package file; do
		{ grep -o '^func Fuzz[A-Za-z0-9]*' "$file" || true; } | while read -r _ target; do
			echo "$target" >>"$fuzzed"
			fuzz "$package" "$target"
		done
	done

if [ "$(wc -l <"$fuzzed")" -lt 20 ]; then
	echo "only $(wc -l <"$fuzzed") fuzz targets were found"
	exit 1
fi

say "building for the other systems"
for target in linux/arm64 linux/386 darwin/arm64 windows/amd64; do
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -o /dev/null ./cmd/polya
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go vet ./...
	echo "$target ok"
done

say "all passed"

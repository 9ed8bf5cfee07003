#!/usr/bin/env bash
# bash test.sh         passes the tests: formatting, vet, staticcheck, tests with the race
#                      detector and real mail programs, short runs of the benchmarks, and a short
#                      fuzz of every parser. It installs what it needs beside Go on a Debian
#                      machine, and says what it had to leave out.
# bash test.sh quick   says sooner whether a change broke something: formatting, vet of the packages
#                      that were changed, and shorter tests, without the race detector, of what the
#                      change can reach: what passed before and reads nothing new is not run again.
# bash test.sh all     also passes the long tests: trials of crashes, rot and bombs, the page in
#                      Chromium, packages, also on a Debian that boots, the fleet, other systems,
#                      each parser fuzzed longer.
#
# TMPDIR is where the tests write.
set -euo pipefail
cd "$(dirname "$0")"

say() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

which=${1:-tests}
case "$which" in
tests | quick | all) ;;
*)
	echo "usage: bash test.sh [quick|all]"
	exit 1
	;;
esac

# go's ./... leaves out folders called testdata; two of ours hold packages. No module of a
# tool or a measure is fetched for them.
export GOWORK=off
module=github.com/polya-classifier/polya
packages=$(go list ./... ./testdata ./testdata/generate)

# What only a debugger reads takes a tenth of compiling.
export GOFLAGS=-gcflags=all=-dwarf=false

# Scripts call the programs of this tree, not some that were built before.
unset POLYA_PROGRAMS

scratch=$(mktemp -d)
memory= # see in_memory
trap 'rm -rf "$scratch" "$memory"' EXIT
processors=$(getconf _NPROCESSORS_ONLN)

# Most of a test that trains is waiting for the disk, so that more of them run beside
# each other than there are processors.
tests="-p=$((processors + 2)) -parallel=$((4 * processors))"

# test_packages tests packages with flags of go test: one of many packages, which reads the sources once.
test_packages() {
	go test -vet=off -timeout=30m $tests "$@" 2>&1 | grep --line-buffered -v '\[no test files\]$'
}

# in_memory has tests write to memory, of which there must be enough: half of the time would be
# waiting for the disk, of which most tests say little. Each run of a user writes to the same folder,
# since what passed counts only where TMPDIR is the same, and to a new one where somebody else has a
# hand in that. What tests have left that were killed is removed.
in_memory() {
	if [ "${TMPDIR:-}" ] || ! [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 4000000 ] 2>/dev/null; then
		return
	fi
	local mode=755 # mail programs write to it as other users
	TMPDIR=/dev/shm/polya-quick-$(id -u)
	mkdir -m $mode "$TMPDIR" 2>/dev/null || true
	if [ "$(stat -c '%u %a %F' "$TMPDIR" 2>/dev/null)" = "$(id -u) $mode directory" ]; then
		find "$TMPDIR" -mindepth 1 -maxdepth 1 -mmin +600 -exec rm -rf {} + || true
	else
		memory=$(mktemp -d /dev/shm/polya.XXXXXX)
		chmod $mode "$memory"
		TMPDIR=$memory
	fi
	export TMPDIR
}

# called are the programs that tests call, each with its Debian package.
called=(cc:gcc cc:libc6-dev bzip2:bzip2 gzip:gzip script:bsdutils setpriv:util-linux curl:curl
	postfix:postfix swaks:swaks procmail:procmail maildrop:maildrop bogofilter:bogofilter miltertest:miltertest
	spamc:spamc strace:strace spamass-milter:spamass-milter rspamc:rspamd systemd-socket-activate:systemd /bin/kill:procps
	notmuch:notmuch dovecot:dovecot-imapd /usr/lib/dovecot/lmtp:dovecot-lmtpd sievec:dovecot-sieve)

# keep_programs builds the programs of this tree, and names their folder by what they are and by the
# mail that tests give them. Go keeps what passed while the files and variables that the test itself
# read are the same, and knows nothing of what a program read. The other programs have PATH for that,
# which each test reads that calls one.
keep_programs() {
	local all folder
	all=$(go env GOCACHE)/polya
	folder=$all/$(pwd | cksum | cut -d' ' -f1)
	go build -buildvcs=false "-ldflags=-s -w" -o "$folder/programs/" ./cmd/polya ./cmd/polyad ./cmd/polya-lab
	rm -f "$folder"/of-*
	POLYA_PROGRAMS=$folder/of-$(find testdata "$folder/programs" -type f -exec cksum {} + | sort | cksum | tr ' ' -)
	ln -s programs "$POLYA_PROGRAMS"
	PATH=$PATH:/nonexistent/$({ for tool in "${called[@]}"; do type -P "${tool%:*}" || true; done | xargs cksum 2>&1 || true; } | cksum | tr ' ' -)
	export POLYA_PROGRAMS PATH
	find "$all" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + # of trees that are gone
}

# vet_changed vets the packages whose files have changed since they passed here. What a package tells
# of itself can matter to those that import it, too: the whole test vets all.
vet_changed() {
	local stamp changed=$packages
	stamp=$(go env GOCACHE)/polya/vetted.$({ pwd && go version && cat go.mod; } | cksum | cut -d' ' -f1)
	mkdir -p "${stamp%/*}"
	touch "$stamp.next"
	if [ -e "$stamp" ]; then
		changed=$(find . -newer "$stamp" \( -name '*.go' -printf '%h\n' -o -type d -print \) | sed "s|^\.|$module|" | sort -u | grep -xF "$packages" || true)
	fi
	[ -z "$changed" ] || go vet $changed
	mv "$stamp.next" "$stamp"
}

say "formatting"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not gofmt-ed: $unformatted"
	exit 1
fi

if [ "$which" = quick ]; then
	export CGO_ENABLED=0 # as the programs are published: they start sooner, and nothing waits for a compiler of C
	# Vet, tests and programs are thousands of short processes with small heaps, in which collecting
	# memory often takes a tenth of the time. With more than this, new pages cost more than it saves.
	export GOGC=${GOGC:-300}
	say "vet of what has changed"
	vet_changed
	in_memory
	keep_programs
	[[ "${TMPDIR:-}" != /dev/shm/* ]] || tests="-p=$((processors + 1)) -parallel=$((processors + 1))" # nothing waits for a disk there
	say "tests of what has changed"
	# Only the tests that take less than some two seconds of processor time. The longest packages
	# are last: their tests run beside each other.
	long="$module/(classify|store|cmd/polya|cmd/polyad|cmd/polya-lab)"
	test_packages -short $(grep -vxE "$long" <<<"$packages") $(grep -xE "$long" <<<"$packages") || {
		say "some packages failed: see FAIL above"
		exit 1
	}
	say "nothing broken was found; bash test.sh looks further"
	exit
fi

# The race detector also checks pointers. bbolt reads a bucket that is damaged past
# its end, which kills a test of damaged files instead of failing it, so that its
# pointers are not checked; ours are.
race="-race -gcflags=go.etcd.io/bbolt/...=-d=checkptr=0"

# It would have each program sleep for a second at its end, and tests run very many.
export GORACE=atexit_sleep_ms=0

# needs installs the Debian packages of the programs that tests call, where it can.
# In CI none may be missing.
needs() {
	local tool missing=()
	for tool in "$@"; do
		command -v "${tool%:*}" >/dev/null || missing+=("${tool#*:}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing ${missing[*]}, which tests need"
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" || true
	fi
	for tool in "$@"; do
		command -v "${tool%:*}" >/dev/null && continue
		echo "SKIPPED: what needs ${tool%:*}: it is not there, and could not be installed"
		[ -z "${CI:-}" ] || exit 1
	done
}
needs "${called[@]}"
if [ "$which" = all ]; then
	needs chromium:chromium rpm:rpm pacman:pacman-package-manager man:man-db lintian:lintian \
		systemd-nspawn:systemd-container debootstrap:debootstrap
fi

# Exim, too, is a mail server, and Debian has one at a time: its files are unpacked into a
# folder that is gone after the tests.
unpack_exim() {
	local exim=$scratch/exim
	if [ -z "${POLYA_EXIM:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		say "unpacking exim4-daemon-heavy, which tests need"
		mkdir "$exim"
		chmod 711 "$scratch" # Exim starts itself again as a user of its own
		(cd "$exim" && apt-get download -q exim4-daemon-heavy && dpkg -x ./*.deb . &&
			apt-get install -qy --no-install-recommends $(dpkg-deb -f ./*.deb Depends | tr ',' '\n' | sed -n 's/^ *\(lib[^ |]*\).*/\1/p') &&
			{ id Debian-exim || adduser --force-badname --system --group --no-create-home Debian-exim; }) >"$scratch/exim.log" 2>&1 || cat "$scratch/exim.log"
		export POLYA_EXIM=$exim/usr/sbin/exim4
	fi
	if [[ "$("${POLYA_EXIM:-exim4}" -bV 2>&1)" != *Content_Scanning* ]]; then # without a configuration it fails
		echo "SKIPPED: what needs Exim with content scanning: it could not be unpacked"
		[ -z "${CI:-}" ] || exit 1
	fi
}
unpack_exim

command -v cc >/dev/null || race=
short_measures=-short
[ "$which" != all ] || short_measures=

say "vet"
# With the flags of most tests, or it would compile their packages once more.
go vet $race $packages
(
	unset GOWORK
	go vet $race ./benchmarks/...
)
say "staticcheck"
go -C benchmarks build -o "$scratch/staticcheck" honnef.co/go/tools/cmd/staticcheck
staticcheck=$scratch/staticcheck
(
	unset GOWORK
	GOFLAGS="$GOFLAGS $race" "$staticcheck" $packages ./benchmarks/...
)

# ways prints each package that has tests after its way. Where a folder and all that it
# imports of ours start no goroutine, have no lock and take no address apart, the race
# detector has nothing to find, and the package is tested without it.
ways() {
	local busy
	busy=$(go list -f '{{.ImportPath}} {{.Dir}}' $packages | while read -r package folder; do
		if grep -qE '^[^/]*(\<go func|\.Go\(|\<sync\.|\<atomic\.|"unsafe")|^\s*go [a-z]' "$folder"/*.go; then
			echo "$package"
		fi
	done)
	go list -test -f '{{.ImportPath}} {{join .Deps " "}}' $packages | busy=$busy awk '
		BEGIN { split(ENVIRON["busy"], list); for (i in list) is[list[i]] }
		sub(/\.test$/, "", $1) {
			way = "unraced"
			for (i = 1; i <= NF; i++) if ($i in is) way = "raced"
			print way, $1
		}'
}

# of prints the packages of a way. Those that take longest are first, so that none is left alone at the end.
of() {
	local package
	{
		for package in cmd/polyad store cmd/polya classify serve/daemon cmd/polyad/internal/imapbox cmd/polyad/internal/notmuch serve/engine \
			serve/page cmd/polyad/internal/watching classify/corpus cmd/polyad/internal/maildir; do
			grep -x "$1 $module/$package" "$scratch/ways" || true
		done
		grep "^$1 " "$scratch/ways"
	} | awk '!seen[$2]++ { print $2 }'
}

export POLYA_PROGRAMS=$scratch/programs
go build "-ldflags=-s -w" -o "$POLYA_PROGRAMS/" ./cmd/polya ./cmd/polyad ./cmd/polya-lab
ways >"$scratch/ways"
grep -rl --include=*_test.go 'raced\.Skip(t)' cmd classify internal serve store tokenize | xargs -n1 dirname | sort -u | sed "s|^|alone $module/|" >>"$scratch/ways"
alone=$(grep -rh --include=*_test.go -e '^func Test' -e 'raced\.Skip(t)' cmd classify internal serve store tokenize |
	awk '/^func Test/ { name = $2; sub(/\(.*/, "", name) } /raced\.Skip/ { print name }' | paste -sd'|')
failed=
say "tests${race:+ with the race detector where something runs beside something else}"
test_packages -count=1 $race $(of raced) || failed=yes
say "tests that it would make slow for nothing"
test_packages -count=1 -run "^($alone)\$" $(of alone) || failed=yes
test_packages -count=1 $(of unraced) || failed=yes
say "each measure, shortly"
(
	unset GOWORK # they build the programs too
	test_packages -count=1 $short_measures ./benchmarks/...
) || failed=yes

say "building what fuzzes"
# Not in the module that takes two minutes to compile: its tests run the seeds. A fuzzer looks for
# ways through our code and that of modules: the standard library is as it was compiled before.
grep -rl --include='*_test.go' --exclude-dir=polya-count '^func Fuzz' . | xargs -n1 dirname | sort -u >"$scratch/fuzzed"
go test -c -vet=off "-gcflags=all=-dwarf=false -d=libfuzzer" -gcflags=std=-dwarf=false "-ldflags=-s -w" -o "$scratch/fuzzers/" $(<"$scratch/fuzzed") || failed=yes
if [ "$failed" ]; then
	say "some packages failed: see FAIL above"
	exit 1
fi

# fuzz_target runs one target of a package, whose test binary is built. When the time
# is up, it now and then takes the end of its own workers for a failure, "context
# deadline exceeded", with no input to show for it: that is tried three times more,
# whatever else is found is not.
fuzz_target() {
	local binary=$1 folder=$2 target=$3 log=$1.$3 last
	for last in '' '' '' last; do
		if (cd "$folder" && "$binary" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$fuzz_time" -test.fuzzminimizetime 10x \
			-test.fuzzcachedir "$fuzz_cache/$folder" -test.parallel 1) </dev/null >"$log" 2>&1; then
			printf 'ok   %s %s: %s\n' "$folder" "$target" "$(grep -o 'execs: [0-9]*' "$log" | tail -1 | grep . || echo 'no time for more than the seeds')"
			return
		fi
		if [ "$last" ] || ! grep -q 'context deadline exceeded' "$log" || grep -q 'Failing input' "$log"; then
			break
		fi
		echo "$target: time was up with nothing found; once more"
	done
	cat "$log"
	printf 'FAIL %s %s\n' "$folder" "$target"
	return 1
}
export -f fuzz_target
if [ "$which" = all ]; then
	: "${FUZZ_TIME:=20s}"
fi
export fuzz_time="${FUZZ_TIME:-2s}" fuzz_cache=$scratch/fuzz
if [ "${FUZZ_TIME:-}" ]; then # what was found is kept: to read it again takes more than two seconds
	fuzz_cache=$(go env GOCACHE)/fuzz/polya
fi

say "fuzzing each parser for $fuzz_time"
while read -r folder; do
	grep -ho '^func Fuzz[A-Za-z0-9]*' "$folder"/*_test.go | sed "s|^func |$scratch/fuzzers/${folder##*/}.test $folder |"
done <"$scratch/fuzzed" >"$scratch/targets"
if [ "$(wc -l <"$scratch/targets")" -lt 20 ]; then
	echo "only $(wc -l <"$scratch/targets") fuzz targets were found"
	exit 1
fi
xargs -P "$processors" -L1 bash -c 'fuzz_target "$@"' _ <"$scratch/targets"

if [ "$which" = tests ]; then
	say "passed; bash test.sh all tries for longer, and on other systems"
	exit
fi

say "building for the other systems"
for target in linux/arm64 linux/386 darwin/arm64 windows/amd64 freebsd/amd64; do
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -o /dev/null ./cmd/polya
	case $target in
	linux/arm64 | freebsd/amd64) ;; # their tests are those of linux/amd64 and darwin
	*) GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go vet ./... ;;
	esac
	echo "$target ok"
done

# Each go.mod names what its own module needs, also where no go.work joins the two. Apache
# Beam brings 600 packages, which take over two minutes of CPU.
for folder in benchmarks packaging cmd/polya-fleet serve/page/browser cmd/polya-count; do
	go -C $folder list -deps ./... >/dev/null
done

# axe-core, which looks for what keeps people out of a page, has a licence of its own (MPL-2.0)
# and is fetched as it was published.
fetch_axe() {
	local version=4.14.1 file=$scratch/axe.tgz
	local digest=1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5
	[ -z "${POLYA_AXE:-}" ] || return 0
	if ! curl -fsS --retry 3 -o "$file" "https://registry.npmjs.org/axe-core/-/axe-core-$version.tgz"; then
		echo "SKIPPED: what needs axe-core: it could not be fetched"
		return
	fi
	if ! sha512sum --status -c <<<"$digest  $file"; then
		echo "axe-core $version is not as it was published"
		exit 1
	fi
	tar -xzf "$file" -C "$scratch" package/axe.min.js
	export POLYA_AXE=$scratch/package/axe.min.js
}
fetch_axe
say "a client that is generated from the description of the API"
go test -count=1 -tags generated -run TestGeneratedClient ./serve/api

say "the page in Chromium"
go -C serve/page/browser test -count=1 ./...

# Modules of their own: nobody waits for NATS, nfpm, Chromium or a peer who builds polya.
say "fleet"
(
	cd cmd/polya-fleet
	go vet ./...
	"$staticcheck" ./...
	go test -count=1 ./...
)

# So is packaging. With the flags of its build.sh nothing is
# compiled twice.
say "packages"
CGO_ENABLED=0 go -C packaging vet -trimpath .
CGO_ENABLED=0 go -C packaging test -trimpath -count=1 -timeout 30m .

say "all passed"

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/internal/raced"
)

// limited runs a program in so many kB of address space, and returns what it printed
// and its exit code.
func limited(t *testing.T, kilobytes int, program string, args ...string) (string, int) {
	t.Helper()
	c := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, kilobytes), program}, args...)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), c.ProcessState.ExitCode()
}

// buildFor builds polya without C for an architecture.
func buildFor(t *testing.T, arch string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "polya")
	c := exec.Command("go", "build", "-o", path, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// Dovecot gives the programs that it starts 256 MB of address space. Go's runtime
// reserves more than that on 64-bit systems before the program begins, and on 32-bit
// systems what there is: a program built for those runs there.
func TestLittleAddressSpace(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("builds the program twice")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the limits are those of this architecture")
	}
	t.Parallel()
	mail := "../../testdata/mail"
	for arch, kilobytes := range map[string]int{"386": 256 << 10, "amd64": 900 << 10} {
		polya := buildFor(t, arch)
		if err := exec.Command(polya, "version").Run(); errors.Is(err, syscall.ENOEXEC) {
			t.Logf("SKIPPED: %s: this kernel runs no such program", arch)
			continue
		}
		db := filepath.Join(t.TempDir(), "test.polya")
		run := func(want int, args ...string) {
			t.Helper()
			if out, code := limited(t, kilobytes, polya, append(args, "--db", db)...); code != want {
				t.Errorf("%s in %d kB: %v: exit code %d, want %d: %.1000s", arch, kilobytes, args, code, want, out)
			}
		}
		run(command.Yes, "version")
		run(command.Yes, "help", "classify")
		run(command.Yes, "train", "--folders", mail+"/train")
		run(command.Yes, "train", "spam", mail+"/held/spam/001.eml")
		run(command.Yes, "classify", "--is", "spam", mail+"/held/spam/001.eml")
		run(command.No, "classify", "--is", "spam", mail+"/held/work/001.eml")
		run(command.Unsure, "classify", "--is", "spam", "--threshold", "1", mail+"/held/work/001.eml")
		run(command.Yes, "compact")
		run(command.Yes, "check")
	}
}

// Whatever happens for want of address space, it does not read as an answer.
func TestTooLittleAddressSpaceIsNoAnswer(t *testing.T) {
	t.Parallel()
	polya, err := exec.LookPath("polya") // set by TestMain
	if err != nil {
		t.Fatal(err)
	}
	for kilobytes := 50 << 10; kilobytes <= 2000<<10; kilobytes += 150 << 10 {
		out, code := limited(t, kilobytes, polya, "classify", "--quiet", "--is", "spam", "--db", "/dev/null/none", "../../testdata/mail/held/spam/001.eml")
		switch code {
		case command.Yes, command.No, command.Unsure:
			t.Errorf("in %d kB: exit code %d: %.500s", kilobytes, code, out)
		}
	}
}

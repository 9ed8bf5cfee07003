package servetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"syscall"
	"testing"
	"time"
)

// Run runs a program, and fails the test if it fails. It returns what the program wrote.
func Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, code := Exit(t, "", program, args...)
	if code != 0 {
		t.Fatalf("%s %q: exit code %d\n%s", program, args, code, out)
	}
	return out
}

// Exit runs a program to its end and returns what it wrote and its exit code.
func Exit(t testing.TB, input, program string, args ...string) (output string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = bytes.NewReader([]byte(input))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatalf("%s %q: %v", program, args, err)
	}
	if stderr.Len() > 0 {
		t.Logf("%s %q: %s", program, args, stderr.Bytes())
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Start runs a program until the test ends, and then tells it to stop.
func Start(t testing.TB, program string, args ...string) {
	t.Helper()
	master(t, "", func(p *os.Process) { p.Signal(syscall.SIGTERM) }, program, args...)
}

// master runs a program, as a mail server, until the test ends, and then has it stopped. What it says,
// and the end of its log unless that is "", is shown if the test fails.
func master(t testing.TB, log string, stop func(*os.Process), program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(cmd.Process)
		kill := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		cmd.Wait()
		kill.Stop()
		if said, _ := os.ReadFile(log); t.Failed() {
			t.Logf("the log of %s:\n%s", program, said[max(0, len(said)-6000):])
		}
	})
}

// Chown gives folders to a user of the system, making those that are not there. The
// test is left out without the user, and without the right to.
func Chown(t testing.TB, name string, dirs ...string) {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil || os.Getuid() != 0 {
		Leave(t, fmt.Sprintf("running as the user %s takes root, and that user: %v", name, err))
	}
	Run(t, "install", append([]string{"-d", "-o", name, "-g", u.Gid}, dirs...)...)
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/internal/raced"
)

// TestInterrupt sends Ctrl-C to a training after its first transaction, and
// wants what was committed to be kept and said, and the same command to go on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process can send Ctrl-C to another")
	}
	dir := t.TempDir()
	database := filepath.Join(dir, "test.polya")
	const documents = learning.LeastBatch/320 + 200
	line := func(i int) string {
		return fmt.Sprintf(`{"class":"%c","text":"document %d of many"}`+"\n", 'a'+i%2, i)
	}
	cmd := exec.Command("polya", "--db", database, "train", "--labelled", "--ledger", "digest", "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	defer stdin.Close()
	var all strings.Builder
	for i := range documents {
		all.WriteString(line(i))
	}
	if _, err := stdin.Write([]byte(all.String())); err != nil {
		t.Fatal(err)
	}
	// The input stays open, so that the program waits for more of it, with one
	// transaction made and some documents in hand.
	waitForCommit(t, database)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != command.Trouble {
		t.Fatalf("ended with %v, want exit code %d", err, command.Trouble)
	}
	said := regexp.MustCompile(`^polya: interrupted: ([\d,]+) documents are learned and kept; run the same command again to go on\n$`).FindStringSubmatch(stderr.String())
	if said == nil {
		t.Fatalf("standard error is %q", stderr.String())
	}
	if !strings.Contains(stdout.String(), "learned "+said[1]+",") {
		t.Errorf("standard output is %q", stdout.String())
	}

	again := exec.Command("polya", "--db", database, "train", "--labelled", "-")
	again.Stdin = strings.NewReader(all.String())
	out, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "moved 0, already learned "+said[1]+"; documents now: a 13,207, b 13,207") {
		t.Errorf("the second time: %v: %s", err, out)
	}
	if out, err := exec.Command("polya", "--db", database, "check").CombinedOutput(); err != nil {
		t.Errorf("check: %v: %s", err, out)
	}
}

// waitForCommit waits until the first transaction of documents is in the file: a
// new database is small, and one of so many documents is not.
func waitForCommit(t *testing.T, database string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if info, err := os.Stat(database); err == nil && info.Size() > 512<<10 {
			time.Sleep(300 * time.Millisecond) // for the transaction to end
			return
		}
	}
	t.Fatal("nothing was committed")
}

// TestInterruptFirst interrupts a training that has committed nothing: it leaves
// no database behind.
func TestInterruptFirst(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process can send Ctrl-C to another")
	}
	database := filepath.Join(t.TempDir(), "test.polya")
	cmd := exec.Command("polya", "--db", database, "train", "--labelled", "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := io.WriteString(stdin, `{"class":"a","text":"b"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) && !command.Exists(database); {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != command.Trouble {
		t.Fatalf("ended with %v, want exit code %d", err, command.Trouble)
	}
	if want := "polya: interrupted: nothing was learned; run the same command again\n"; stderr.String() != want {
		t.Errorf("standard error is %q, want %q", stderr.String(), want)
	}
	if command.Exists(database) {
		t.Error("an empty database stays")
	}
}

// TestUndoKilled kills an undo of three transactions again and again, ever later, until
// one ends: the database is whole each time, and in the end as before.
func TestUndoKilled(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	dir := t.TempDir()
	database := filepath.Join(dir, "test.polya")
	polya := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("polya", append([]string{"--db", database}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
		return string(out)
	}
	teach := func(source string, first, documents int) {
		t.Helper()
		var all strings.Builder
		for i := first; i < first+documents; i++ {
			fmt.Fprintf(&all, `{"class":"%c","text":"document %d of many"}`+"\n", 'a'+i%2, i)
		}
		path := filepath.Join(dir, source+".jsonl")
		if err := os.WriteFile(path, []byte(all.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		polya("train", "--quiet", "--labelled", "--source", source, path)
	}
	teach("hand", 0, 100)
	before := polya("dump", "--ledger")
	teach("list", 1000, 2*learning.LeastBatch/320+200)
	part := regexp.MustCompile(`"documents":(\d+),`)
	left := map[string]bool{}
	for delay := 300 * time.Millisecond; ; delay = delay * 3 / 2 {
		cmd := exec.Command("polya", "--db", database, "undo", "--source", "list", "--yes")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		polya("check")
		if err == nil {
			break
		}
		if cmd.ProcessState.ExitCode() == command.Trouble {
			// The one before was killed after its last transaction.
			if want := `was learned from a source called "list"; it has hand`; !strings.Contains(stderr.String(), want) {
				t.Fatalf("undo says %q, want %q", &stderr, want)
			}
			break
		}
		if out, err := exec.Command("polya", "--db", database, "undo", "--source", "list", "--json").Output(); err == nil {
			left[part.FindStringSubmatch(string(out))[1]] = true
		}
	}
	t.Logf("it was killed with %d different numbers of documents left", len(left))
	if polya("dump", "--ledger") != before {
		t.Error("the dump is not that of before")
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is polya-count itself for the tests that call it.
func TestMain(m *testing.M) {
	if os.Getenv("POLYA_COUNT") != "" {
		main()
	}
	os.Exit(m.Run())
}

// polya is built once, from the module beside this one.
func polya(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "polya")
	build := exec.Command("go", "build", "-o", path, "./cmd/polya")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// runCount runs polya-count and returns what it prints on both streams.
func runCount(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := counter(t.Context(), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func counter(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "POLYA_COUNT=1")
	return cmd
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func message(n int, class string) string {
	return fmt.Sprintf("Message-ID: <%d@example.org>\nSubject: %s%d\n\n%s word%d and word%d\n", n, class, n%7, class, n%11, n%5)
}

// What a pipeline counts is what polya train counts, to the byte.
func TestEqualDumps(t *testing.T) {
	program, dir := polya(t), t.TempDir()
	for n := range 40 {
		write(t, filepath.Join(dir, "folders", []string{"ham", "spam"}[n%2], fmt.Sprint(n, ".eml")), message(n, "x"))
		box := ""
		for m := range 9 {
			box += "From a@example.org Mon Jan  5 10:00:00 2026\n" + message(n*5+m, "y") + "\n"
		}
		write(t, filepath.Join(dir, "boxes", fmt.Sprint(n, ".mbox")), box) // four of nine come again in the next
	}
	for part := range 3 {
		lines := ""
		for n := range 50 {
			lines += fmt.Sprintf(`{"id":"%d","class":"c%d","text":"word%d other%d part%d","attributes":{"n":%d}}`+"\n", part*25+n, (n+part)%3, n%7, n%5, part, n)
		}
		write(t, filepath.Join(dir, "lines", fmt.Sprint(part, ".jsonl")), lines)
	}
	write(t, filepath.Join(dir, "lines", "broken.jsonl"), "no json\n")
	boxes, _ := filepath.Glob(filepath.Join(dir, "boxes", "*.mbox"))
	lines, _ := filepath.Glob(filepath.Join(dir, "lines", "*.jsonl"))
	if len(boxes) != 40 || len(lines) != 4 {
		t.Fatal(boxes, lines)
	}
	for name, test := range map[string]struct {
		train []string
		count []string
		code  int
	}{
		"folders": {[]string{"--folders", filepath.Join(dir, "folders")}, []string{"--folders", filepath.Join(dir, "folders")}, exitDone},
		"mboxes": {slices.Concat([]string{"--ledger", "digest", "ham"}, boxes),
			[]string{"--ledger", "digest", "--class", "ham", "--shards", "3", filepath.Join(dir, "boxes", "*.mbox")}, exitDone},
		"JSON lines": {slices.Concat([]string{"--labelled"}, lines), []string{"--labelled", filepath.Join(dir, "lines", "*.jsonl")}, exitTrouble},
		"a path that is not there": {[]string{"--attr", "n=1", "ham", boxes[0], filepath.Join(dir, "absent")},
			[]string{"--attr", "n=1", "--class", "ham", boxes[0], filepath.Join(dir, "absent")}, exitTrouble},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			one, other := filepath.Join(dir, "one.polya"), filepath.Join(dir, "other.polya")
			train := exec.Command(program, slices.Concat([]string{"--db", one, "train"}, test.train)...)
			var said, complained bytes.Buffer
			train.Stdout, train.Stderr = &said, &complained
			_ = train.Run()
			stdout, stderr, code := runCount(t, append([]string{"--db", other}, test.count...)...)
			if code != test.code || train.ProcessState.ExitCode() != code {
				t.Errorf("exit code %d, want %d: %s", code, test.code, stderr)
			}
			want := strings.ReplaceAll(strings.ReplaceAll(said.String(), " (new)", ""), one, other)
			if stdout != want || strings.ReplaceAll(stderr, "polya-count: ", "polya: ") != complained.String() {
				t.Errorf("it prints\n%s%s\npolya train prints\n%s%s", stdout, stderr, want, complained.String())
			}
			a, err := exec.Command(program, "--db", one, "dump").Output()
			b, err2 := exec.Command(program, "--db", other, "dump").Output()
			if err != nil || err2 != nil || !bytes.Equal(a, b) {
				t.Errorf("%v, %v: train has\n%.2000s\nhere is\n%.2000s", err, err2, a, b)
			}
			if names, _ := os.ReadDir(dir); len(names) != 2 {
				t.Errorf("it leaves %v", names)
			}
		})
	}
}

// Where nothing can be counted there is no database, nor anything else.
func TestNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty, folder, there, a, b := filepath.Join(dir, "empty"), filepath.Join(dir, "folder"), filepath.Join(dir, "there"), filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	write(t, empty, "")
	write(t, there, "something else")
	write(t, filepath.Join(folder, "readme"), "a text")
	write(t, a, `{"class":"x","attributes":{"zip":"a1"}}`)
	write(t, b, `{"class":"x","attributes":{"zip":1}}`)
	const database = "the database"
	for want, args := range map[string][]string{
		"empty, and nothing to learn from": {"--db", database, "--class", "a", empty},
		"no class folders":                 {"--db", database, "--folders", folder},
		"check the path":                   {"--db", database, "--class", "a", filepath.Join(dir, "absent*")},
		`attribute "zip" is category`:      {"--db", database, "--labelled", a, b},
		"file already exists":              {"--db", there, "--class", "a", folder},
		"names the database":               {"--class", "a", folder},
		"want one of":                      {"--db", database, folder},
		"want a path":                      {"--db", database, "--class", "a"},
		"standard input":                   {"--db", database, "--class", "a", "-"},
		"--shards 0":                       {"--db", database, "--shards", "0", "--class", "a", folder},
		"--async":                          {"--db", database, "--async", "--class", "a", folder},
		"--ledger":                         {"--db", database, "--ledger", "some", "--class", "a", folder},
		"not defined: -none":               {"--none"},
		"no such file or directory":        {"--db", database, "--work", filepath.Join(dir, "absent"), "--class", "a", folder},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			place := t.TempDir()
			for i := range args {
				args[i] = strings.Replace(args[i], database, filepath.Join(place, "polya.db"), 1)
			}
			stdout, stderr, code := runCount(t, args...)
			if code != exitTrouble || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("exit code %d, %s%s", code, stdout, stderr)
			}
			if names, _ := os.ReadDir(place); len(names) > 0 {
				t.Errorf("it leaves %v", names)
			}
		})
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(there); string(text) != "something else" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// A run that is killed leaves no database, nor half of one; one that is interrupted leaves
// nothing at all.
func TestKilled(t *testing.T) {
	for _, signal := range []os.Signal{os.Kill, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe, database := filepath.Join(dir, "pipe"), filepath.Join(dir, "db", "polya.db")
			if err := errors.Join(os.Mkdir(filepath.Dir(database), 0o700), syscall.Mkfifo(pipe, 0o600)); err != nil {
				t.Fatal(err)
			}
			cmd := counter(t.Context(), "--db", database, "--class", "a", "--format", "text", pipe)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// It is reading when it has opened the pipe, which waits for that.
			writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			if err := errors.Join(cmd.Process.Signal(signal)); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err = <-ended:
			case <-time.After(time.Minute):
				t.Fatal("it goes on")
			}
			if err == nil {
				t.Error("it has not failed")
			}
			if _, err := os.Lstat(database); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there is a database: %v", err)
			}
			names, _ := os.ReadDir(filepath.Dir(database))
			if signal == syscall.SIGTERM && (len(names) > 0 || !strings.Contains(stderr.String(), "interrupted: no database was made")) {
				t.Errorf("it leaves %v and says %s", names, stderr.String())
			}
		})
	}
}

// A part that is done twice leaves the same files, and what a runner loses is not passed over.
func TestTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := filepath.Join(dir, "a.mbox")
	write(t, box, "From a@example.org Mon Jan  5 10:00:00 2026\n"+message(1, "x")+"\n\nFrom a@example.org Mon Jan  5 10:00:00 2026\n"+message(2, "x"))
	c := newCommand(flag.NewFlagSet("", flag.PanicOnError))
	c.Class, c.At = "a", time.Unix(1_700_000_000, 0)
	var packs, founds [][]byte
	for range 2 {
		packs, founds = nil, nil
		in := fmt.Appendf(nil, `{"Number":0,"Path":%q}`, box)
		keep := func(to *[][]byte) func(int, []byte) { return func(_ int, data []byte) { *to = append(*to, data) } }
		if err := (&reading{&c.Training, 1, dir}).ProcessElement(t.Context(), in, keep(&packs), keep(&founds)); err != nil {
			t.Fatal(err)
		}
		if err := (&sharding{dir}).ProcessElement(0, iterate(append(packs, packs...)), keep(&founds)); err != nil {
			t.Fatal(err)
		}
	}
	report := func(founds ...[]byte) error {
		if err := (&reporting{dir}).ProcessElement(0, iterate(founds)); err != nil {
			t.Fatal(err)
		}
		_, _, err := readReport(dir, 1)
		return err
	}
	if err := report(founds...); err != nil {
		t.Error(err)
	}
	if _, shards, _ := readReport(dir, 1); len(shards) != 1 || shards[0].Number != 2 {
		t.Error(shards)
	}
	for _, lost := range [][][]byte{founds[:1], founds[1:], {founds[0], founds[0], founds[1]}, nil} {
		if err := report(lost...); err == nil {
			t.Errorf("%d reports are enough", len(lost))
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 4 {
		t.Errorf("there are %v", names)
	}
}

// iterate gives values as Beam does.
func iterate(values [][]byte) func(*[]byte) bool {
	return func(to *[]byte) bool {
		if len(values) == 0 {
			return false
		}
		*to, values = values[0], values[1:]
		return true
	}
}

// A path that was read twice in place of another is not what was asked for.
func TestReportTwice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"Report":{"Input":{"Number":0}}}` + "\n" + `{"Report":{"Input":{"Number":1}}}` + "\n": true,
		`{"Report":{"Input":{"Number":0}}}` + "\n" + `{"Report":{"Input":{"Number":0}}}` + "\n": false,
		`{"Report":{"Input":{"Number":0}}}` + "\n":                                              false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, reportFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readReport(dir, 2); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

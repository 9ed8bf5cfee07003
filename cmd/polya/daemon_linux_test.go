package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/serve/api/client"
)

// By way of the daemon a message has the same answer, to the byte, and what is learned is
// learned.
func TestDaemonAnswers(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	database := trained(t, cmdtest.ShortDir(t))
	commands := [][]string{
		{"filter"}, {"filter", "--exit-code"}, {"filter", "--bogofilter", "-pe"}, {"filter", "--bogofilter", "-v"}, {"filter", "--bogofilter", "-TT"},
	}
	run := func() (all []filtered) {
		for name, message := range strange(t) {
			for _, c := range commands {
				f := piped(t, message, append([]string{"polya", "--db", database}, c...)...)
				f.stderr = name + f.stderr
				all = append(all, f)
			}
		}
		return all
	}
	byName := func(all []filtered) map[filtered]bool {
		set := make(map[filtered]bool)
		for _, f := range all {
			set[f] = true
		}
		return set
	}
	want := byName(run())
	cmdtest.StartDaemon(t, database)
	for f := range byName(run()) {
		if !want[f] {
			t.Errorf("by way of the daemon: %d %.300q %q", f.code, f.out, f.stderr)
		}
	}
	message := held(t, "spam/001.eml")
	if f := piped(t, message, "polya", "--db", database, "filter", "--bogofilter", "-sv"); f.code != 0 || f.stderr != "# 1 message\n" {
		t.Errorf("%+v", f)
	}
	// Every other command works too, by itself, on the file that the daemon lends it.
	for _, c := range []struct {
		input string
		want  string
		args  []string
	}{
		{"", "documents   305", []string{"info"}},
		{message, "already learned 1; ", []string{"train", "spam", "-"}},
		{message, "moved 1, ", []string{"train", "work", "-"}},
		{message, "moved 1, ", []string{"train", "spam", "-"}},
		{message, "spam\t0.9999\t-\n", []string{"classify", "-"}},
		{message, "forgot 1; ", []string{"forget", "-"}},
		{message, "learned 1, ", []string{"train", "spam", "-"}},
		{"", "", []string{"check"}},
		{"", "", []string{"calibrate"}},
		{"", "", []string{"compact"}},
		{"", "", []string{"backup", "-f", database + ".backup"}},
		{"", "", []string{"dump", "-o", database + ".dump"}},
		{"", "", []string{"class", "rename", "work", "labour"}},
		{"", "restored from", []string{"restore", database + ".backup"}},
	} {
		f := piped(t, c.input, append([]string{"polya", "--db", database}, c.args...)...)
		if f.code != 0 || !strings.Contains(f.out, c.want) {
			t.Errorf("%q beside the daemon: %d %q %q, want %q", c.args, f.code, f.out, f.stderr, c.want)
		}
	}
	if f := piped(t, "", "polya", "--db", database, "retrain", "--analyzer", "polya-7 channel=grams", "testdata"); f.code != 3 || !strings.Contains(f.stderr, "a daemon serves it") {
		t.Errorf("retrain beside the daemon: %+v", f)
	}
	if f := piped(t, message, "polya", "--db", database, "filter"); !strings.HasPrefix(f.out, "X-Polya-Class: spam") {
		t.Errorf("afterwards: %+v", f)
	}
}

// Who decides otherwise than the daemon asks the file, everybody else the daemon.
func TestDaemonIsAsked(t *testing.T) {
	t.Parallel()
	database := trained(t, cmdtest.ShortDir(t))
	l, err := net.Listen("unix", client.Path(database))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				io.Copy(io.Discard, r.Body)
			}
			c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n{\"class\":\"daemon\",\"spam\":true,\"probability\":0.5}\n"))
			c.Close()
		}
	}()
	for args, want := range map[string]bool{"filter": true, "filter --tempfail": true, "filter --bogofilter -p": true, "filter --is spam": false, "filter --threshold 0.9": false} {
		f := piped(t, "a: b\n\nc\n", append([]string{"polya", "--db", database}, strings.Fields(args)...)...)
		if asked := strings.HasPrefix(f.out, "X-Polya-Class: daemon; probability=0.5000\n") || strings.Contains(f.out, "spamicity=0.500000,"); asked != want {
			t.Errorf("%s: %q", args, f.out)
		}
	}
}

// A daemon that is stopped, killed or refuses keeps no message from passing.
func TestDaemonStops(t *testing.T) {
	t.Parallel()
	database := trained(t, cmdtest.ShortDir(t))
	d := cmdtest.StartDaemon(t, database)
	message := held(t, "spam/001.eml")
	passes := func(what string) {
		t.Helper()
		for _, wait := range [][]string{{"--wait", "300ms"}, nil} {
			if what == "stopped" && wait == nil {
				continue // it is waited for
			}
			f := piped(t, message, append(append([]string{"polya", "--db", database}, wait...), "filter")...)
			if f.code != 0 || !strings.HasSuffix(f.out, message) {
				t.Errorf("%s: %d %q: %.100q", what, f.code, f.stderr, f.out)
			}
		}
	}
	passes("running")
	d.Signal(syscall.SIGSTOP)
	passes("stopped")
	d.Kill()
	passes("killed")
	os.Remove(client.Path(database))
	passes("gone")
}

// A message that is longer than what is kept in memory is judged by its beginning, with a
// daemon and without.
func TestLongMessage(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	database := trained(t, cmdtest.ShortDir(t))
	spam := held(t, "spam/001.eml")
	long := "X-Polya-Class: ham\n" + spam + strings.Repeat("x\n", 33<<20)
	for _, d := range []string{"", "daemon"} {
		if d != "" {
			cmdtest.StartDaemon(t, database)
		}
		f := piped(t, long, "polya", "--db", database, "filter")
		field, rest, _ := strings.Cut(f.out, "\n")
		if f.code != 0 || !strings.HasPrefix(field, "X-Polya-Class: spam; probability=") || !strings.HasSuffix(field, "; truncated") || rest != long[strings.Index(long, "\n")+1:] {
			t.Errorf("%s: %d %q, %q and %d bytes", d, f.code, f.stderr, field, len(rest))
		}
		if f := piped(t, long, "polya", "--db", database, "filter", "--exit-code"); f.code != 0 {
			t.Errorf("%s: %+v", d, f)
		}
		f = piped(t, long, "polya", "--db", database, "filter", "--bogofilter", "-p", "-e")
		if f.code != 0 || !strings.HasPrefix(f.out, "X-Bogosity: Spam,") || !strings.HasSuffix(f.out, long) {
			t.Errorf("%s: %d %q %.100q", d, f.code, f.stderr, f.out)
		}
	}
}

// A command that asks a daemon which is stopped, killed or gone answers by itself or fails,
// in bounded time, with one line.
func TestCommandsOutliveDaemon(t *testing.T) {
	t.Parallel()
	database := trained(t, cmdtest.ShortDir(t))
	message := held(t, "spam/001.eml")
	d := cmdtest.StartDaemon(t, database)
	run := func(args ...string) filtered {
		return piped(t, message, append([]string{"polya", "--db", database}, args...)...)
	}
	want := run("classify", "-")
	if want.code != 0 || !strings.HasPrefix(want.out, "spam\t") {
		t.Fatalf("%+v", want)
	}
	d.Signal(syscall.SIGSTOP)
	for _, args := range [][]string{{"--wait", "200ms", "classify", "-"}, {"--wait", "200ms", "train", "spam", "-"}, {"--wait", "200ms", "forget", "-"}} {
		f := run(args...)
		failed := f.code == command.Trouble && strings.Count(f.stderr, "\n") == 1 && strings.HasPrefix(f.stderr, "polya: ")
		if f != want && !failed {
			t.Errorf("%q with a daemon that is stopped: %+v", args, f)
		}
	}
	d.Kill()
	os.Remove(client.Path(database))
	l, err := net.Listen("unix", client.Path(database))
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends while the command waits for it
		c, err := l.Accept()
		if err == nil {
			c.Read(make([]byte, 1<<16))
			c.Close()
		}
	}()
	if f := run("classify", "-"); f != want {
		t.Errorf("the daemon was killed meanwhile: %+v, want %+v", f, want)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	if f := run("train", "spam", "-"); f.code != 0 || !strings.Contains(f.out, "learned 1, ") {
		t.Errorf("the daemon is gone: %+v", f)
	}
	cmdtest.StartDaemon(t, database) // in place of the socket that was left behind
	if f := run("train", "spam", "-"); f.code != 0 || !strings.Contains(f.out, "already learned 1") {
		t.Errorf("a daemon is back: %+v", f)
	}
}

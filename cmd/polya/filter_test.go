package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// mailFolder has messages to learn and to ask about.
const mailFolder = "../../testdata/mail"

// need skips the test if a program is not installed. In CI all are.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed", program)
	return ""
}

// A filtered is what a filter did.
type filtered struct {
	out, stderr string
	code        int
}

// piped runs a command on an input.
func piped(t *testing.T, input string, command ...string) filtered {
	t.Helper()
	return pipedIn(t, "", input, command...)
}

// pipedIn runs a command in a folder on an input.
func pipedIn(t *testing.T, dir, input string, command ...string) filtered {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", command, err)
	}
	return filtered{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// held is a message that nobody has learned.
func held(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(mailFolder, "held", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// trained makes a database that has learned some mail.
func trained(t *testing.T, dir string) string {
	t.Helper()
	database := filepath.Join(dir, "mail.polya")
	if err := os.WriteFile(database, taught(), 0o600); err != nil {
		t.Fatal(err)
	}
	return database
}

// strange are messages of which every byte matters.
func strange(t *testing.T) map[string]string {
	return map[string]string{
		"nothing":          "",
		"an empty line":    "\n",
		"no header":        "\nbody only\n",
		"no body":          "Subject: hi\n",
		"no newline":       "Subject: hi",
		"no newline, body": "Subject: hi\n\nbody",
		"From_":            "From a@b  Mon Jan  5 10:00:00 2026\nSubject: hi\n\nbody\n",
		"CRLF":             "Subject: hi\r\nTo: a\r\n b\r\n\r\nbody\r\n",
		"8 bit":            "Subject: \xff\xfe\x80\n\n\x00\x01\xffbody\n",
		"not mail":         "\x7fELF\x00\x01\n\n\x00",
		"CR":               "Subject: hi\rTo: x\r\rbody",
		"long lines":       "Subject: " + strings.Repeat("x", 1<<20) + "\n\n" + strings.Repeat("y", 1<<20),
		"spam":             held(t, "spam/001.eml"),
		"5 MB":             held(t, "work/001.eml") + strings.Repeat("all work and no play\n", 250_000),
	}
}

// Every byte of a message passes, but for the field.
func TestFilterKeepsBytes(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	database := trained(t, t.TempDir())
	for name, message := range strange(t) {
		f := piped(t, message, "polya", "--db", database, "filter")
		line, rest, _ := strings.Cut(f.out, "\n")
		if strings.HasPrefix(message, "From ") {
			from, _, _ := strings.Cut(message, "\n")
			line, rest, _ = strings.Cut(strings.TrimPrefix(f.out, from+"\n"), "\n")
			rest = from + "\n" + rest
		}
		if f.code != 0 || f.stderr != "" || !strings.HasPrefix(line, "X-Polya-Class: ") || rest != message {
			t.Errorf("%s: exit code %d, %s: %.100q", name, f.code, f.stderr, f.out)
		}
	}
}

// What is longer than fits into memory passes, with an answer about its beginning, and
// without what pretended to be one.
func TestFilterLong(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("reads and writes 200 MB")
	}
	database := trained(t, t.TempDir())
	for _, args := range [][]string{{"filter"}, {"filter", "--bogofilter", "-pe"}} {
		cmd := exec.CommandContext(t.Context(), "polya", append([]string{"--db", database}, args...)...)
		const body = 100 << 20
		cmd.Stdin = io.MultiReader(strings.NewReader("A: b\nX-Polya-Class: ham\nX-Bogosity: Ham\n\n"), io.LimitReader(sevens{}, body))
		out := &counted{}
		cmd.Stdout = out
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		head, _, _ := bytes.Cut(out.head, []byte("\n\n"))
		field, rest, _ := strings.Cut(string(head), "\n")
		want := "A: b\nX-Bogosity: Ham"
		if len(args) > 1 {
			want = "A: b\nX-Polya-Class: ham"
		}
		if n := out.n - len(head) - 2; n != body || rest != want || !answer.MatchString(field) {
			t.Errorf("%q: %d bytes of body, header %q", args, n, head)
		}
	}
}

var answer = regexp.MustCompile(`^(X-Polya-Class: .*; truncated|X-Bogosity: .*)$`)

type sevens struct{}

func (sevens) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '7'
	}
	return len(b), nil
}

// counted keeps the beginning of what is written, and its length.
type counted struct {
	head []byte
	n    int
}

func (c *counted) Write(b []byte) (int, error) {
	if len(c.head) < 1000 {
		c.head = append(c.head, b[:min(len(b), 1000)]...)
	}
	c.n += len(b)
	return len(b), nil
}

package incoming

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// What is learned is there for the next call, and taken back by the one after.
func TestDatabase(t *testing.T) {
	t.Parallel()
	d := &Database{Program: &command.Program{Streams: new(terminal.Streams), Database: filepath.Join(t.TempDir(), "mail.polya")}, Settings: setting.Values{setting.Is: "spam"}}
	spam := &Message{Content: []byte("Message-ID: <1@x>\nSubject: win\n\nfree prize\n")}
	ham := &Message{Content: []byte("Message-ID: <2@x>\nSubject: lunch\n\nat noon\n")}
	if _, err := d.Classify(t.Context(), spam); !errors.Is(err, store.ErrNotExist) {
		t.Fatalf("without a database: %v", err)
	}
	for i, step := range []struct {
		message *Message
		class   string
		want    string // the classes then, with their documents
	}{
		{spam, "ham", "[ham 1]"}, {spam, "spam", "[spam 1]"}, {spam, "spam", "[spam 1]"},
		{ham, "ham", "[ham 1 spam 1]"}, {ham, "", "[spam 1]"}, {ham, "", "[spam 1]"},
	} {
		if err := d.Teach(t.Context(), step.message, "test", step.class); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
		if !d.HasClass("spam") && i > 0 || d.HasClass("other") {
			t.Errorf("step %d: other classes", i)
		}
		var got []any
		for _, c := range statistics.Classes(d.asked.Store()) {
			got = append(got, c.Name, c.Docs)
		}
		if fmt.Sprint(got) != step.want {
			t.Errorf("step %d: %v, want %s", i, got, step.want)
		}
	}
	if a, err := d.Classify(t.Context(), spam); err != nil || !a.Unsure {
		t.Errorf("of one class: %+v, %v", a, err)
	}
}

// What the daemon answers counts, but for a message that is too large for it: the file answers then.
func TestDaemonRefuses(t *testing.T) {
	t.Parallel()
	d := &Database{Program: &command.Program{Streams: new(terminal.Streams), Database: filepath.Join(t.TempDir(), "mail.polya")}, Settings: setting.Values{setting.Is: "spam"}}
	m := &Message{Content: []byte("Message-ID: <1@x>\nSubject: win\n\nfree prize\n")}
	if err := d.Teach(t.Context(), m, "test", "spam"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", client.Path(d.Path()))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	refusals := []backend.Failure{backend.ErrSize, backend.ErrBusy}
	go func() {
		for _, f := range refusals {
			if c, err := l.Accept(); err == nil {
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				fmt.Fprintf(c, "HTTP/1.0 %d Refused\r\n\r\n{\"error\":%q}\n", f.Code, f.Text)
				c.Close()
			}
		}
	}()
	if a, err := d.Classify(t.Context(), m); err != nil || a.Class != "spam" {
		t.Errorf("too large: %+v, %v", a, err)
	}
	if _, err := d.Classify(t.Context(), m); !errors.Is(err, backend.ErrBusy) {
		t.Errorf("busy: %v", err)
	}
}

// A panic about a message is an error, after which it passes unchanged.
func TestPanic(t *testing.T) {
	t.Parallel()
	d := &Database{Program: &command.Program{Streams: new(terminal.Streams), Database: "x.polya"}}
	if err := d.Ask(func() error { panic("of the classifier") }); err == nil || !strings.Contains(err.Error(), "of the classifier") {
		t.Errorf("%v", err)
	}
}

// A database that is an empty file has learned nothing, and answers so.
func TestEmptyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mail.polya")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &Database{Program: &command.Program{Streams: new(terminal.Streams), Database: path}, Settings: setting.Values{setting.Is: "spam"}}
	if a, err := d.Classify(t.Context(), &Message{Content: []byte("Subject: win\n\nfree prize\n")}); err != nil || !a.Unsure {
		t.Errorf("%+v, %v", a, err)
	}
}

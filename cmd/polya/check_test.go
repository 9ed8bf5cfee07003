package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// A file whose start is gone is not known to be a database, and is repaired all the
// same.
func TestRepairHeadless(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "headless.polya")
	c, err := classify.Open(path, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b classify.Batch
	for i := range 10 {
		if err := b.Train([]string{"ham", "spam"}[i%2], c.Document(fmt.Appendf(nil, "some words, number%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Store().Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[:8192])
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := &program{&command.Program{Streams: &terminal.Streams{Stdout: &out, Stderr: &out}, Database: path}}
	if err := p.check(context.Background(), false, nil); err == nil || !strings.Contains(err.Error(), "not a polya database") {
		t.Errorf("without --repair: %v", err)
	}
	if err := p.check(context.Background(), false, &store.Options{}); err != error(answerCode(exitNo)) {
		t.Errorf("with --repair: %v", err)
	}
	for _, want := range []string{"start of the file is damaged\n", "lost: perhaps the last change", "repaired, 10 documents; the damaged file is " + path + ".damaged\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it says\n%s\nwithout %q", &out, want)
		}
	}
	out.Reset()
	if err := p.check(context.Background(), false, &store.Options{}); err != nil || !strings.Contains(out.String(), ": ok; 10 documents") {
		t.Errorf("afterwards: %v, %s", err, &out)
	}
}

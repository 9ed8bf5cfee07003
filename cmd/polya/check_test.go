package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// A file whose start is gone is not known to be a database, and stays as it is.
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
	if err := p.check(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "not a polya database") {
		t.Errorf("without --repair: %v", err)
	}
	if err := p.check(context.Background(), &store.Options{}); err == nil || !strings.Contains(err.Error(), "not a polya database") {
		t.Errorf("with --repair: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
		t.Errorf("the file has changed, %v", err)
	}
}

// A file that was made and never committed to, as by a process that was killed, is sound; one
// that was cut to nothing is not.
func TestCheckMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "made.polya")
	made, err := bbolt.Open(path, 0o600, nil)
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if f := piped(t, "", "polya", "--db", path, "check"); f.code != 0 || !strings.Contains(f.out, "made.polya: ok; 0 documents,") {
		t.Errorf("%+v", f)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if f := piped(t, "", "polya", "--db", path, "check"); f.code != command.Trouble {
		t.Errorf("%+v", f)
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/store"
)

// What others have taught the file that was replaced is not lost in silence.
func TestLearnedMeanwhile(t *testing.T) {
	t.Parallel()
	before := trained(t, t.TempDir())
	now, err := store.Open(filepath.Join(t.TempDir(), "now.polya"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	p := &program{&command.Program{}}
	if err := p.checkReplaced(now, before); err == nil || !strings.Contains(err.Error(), "304 documents were learned meanwhile, which only "+before+" has") {
		t.Error(err)
	}
}

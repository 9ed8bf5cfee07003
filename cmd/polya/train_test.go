package main

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// A name that is no UTF-8 cannot stand in a script: arguments are bytes.
func TestCheckClassName(t *testing.T) {
	t.Parallel()
	train := trainCommand(&program{&command.Program{Streams: new(terminal.Streams)}})
	for _, name := range []string{"", " ", "\t\u3000", "\xff", "caf\xe9"} {
		if err := checkClassName(train, name); err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "class name ") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"spam", "a b", "Ä", "手紙", "\ufffd"} {
		if err := checkClassName(train, name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// ran says what this run of eval is: for the head of the page that --html writes.
func (f *evalFlags) ran(args []string) evaluation.Run {
	run := evaluation.Run{Time: time.Now(), Program: version(), Command: terminal.ShellWords(append([]string{"polya"}, os.Args[1:]...)...)}
	var names []string
	add := func(what string, paths []string) {
		for _, path := range paths {
			name := filepath.Base(path)
			if absolute, err := filepath.Abs(path); path == "-" {
				name, path = "standard input", "standard input"
			} else if err == nil {
				path = absolute
			}
			names, run.Data = append(names, name), append(run.Data, what+path)
		}
	}
	add("learned: ", f.train)
	add("asked about: ", f.test)
	add("", args)
	run.Title = strings.Join(names, ", ")
	return run
}

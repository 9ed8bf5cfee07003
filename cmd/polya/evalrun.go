package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
)

// ran says what this run of eval is: for the head of the page that --html writes.
func (f *evalFlags) ran(args []string) evaluation.Run {
	run := evaluation.Run{Time: time.Now(), Program: version(), Command: shellWords(append([]string{"polya"}, os.Args[1:]...))}
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

// shellWords writes words as a POSIX shell takes them.
func shellWords(words []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_"
	quoted := make([]string, len(words))
	for i, word := range words {
		if word == "" || strings.Trim(word, plain) != "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " ")
}

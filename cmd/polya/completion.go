package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/store"
)

// completionTimeout is how long the Tab key may wait for a database in use.
const completionTimeout = 200 * time.Millisecond

// completeClasses lists the classes to the shell. Where there is no database to ask
// there are none.
func (p *program) completeClasses() []string {
	path, err := p.databasePath()
	if err != nil {
		return nil
	}
	db, err := store.Open(path, store.Options{ReadOnly: true, Timeout: completionTimeout})
	if err != nil {
		return nil
	}
	defer db.Close()
	var names []string
	for _, c := range classesOf(db) {
		names = append(names, c.Name)
	}
	return names
}

// completeClass completes a class as the only argument.
func (p *program) completeClass(args []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
}

// completeClassThenPath completes a class and then files.
func (p *program) completeClassThenPath(args []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
}

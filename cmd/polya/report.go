package main

import (
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// usefulDocuments is how many documents of a class give answers worth acting
// on: with fewer, which of them one happens to have decides.
const usefulDocuments = 20

// fewClasses is how many classes a summary of one line lists.
const fewClasses = 6

// changes is what a command did to a database, for --json.
type changes struct {
	Database  string            `json:"database"`
	Learned   int               `json:"learned"`
	Moved     int               `json:"moved"`
	Forgotten int               `json:"forgotten"`
	Already   int               `json:"already"`
	Classes   map[string]uint64 `json:"classes"`
	New       []string          `json:"new,omitempty"` // those of Classes that it made
}

// reportTraining says what was learned, into which database, and what that
// holds now: nothing is more annoying than to have trained the wrong one.
func (p *program) reportTraining(t *training, asJSON bool) {
	db := t.classifier.Store()
	if asJSON {
		p.reportJSON(db, t.applied, t.isNew)
		return
	}
	if p.Quiet {
		return
	}
	a := t.applied
	classes := classesOf(db)
	p.Printf("%s: learned %s, moved %s, already learned %s; %s\n", terminal.Printable(db.Path()),
		terminal.Grouped(a.Learned), terminal.Grouped(a.Moved), terminal.Grouped(a.Already), holdings(classes, t.isNew))
	if note := tooFew(classes); note != "" {
		p.Printf("%s\n", note)
	}
}

// reportJSON does so as JSON. isNew may be nil.
func (p *program) reportJSON(db *store.DB, a store.Applied, isNew func(*count.Class) bool) {
	c := changes{Database: db.Path(), Learned: a.Learned, Moved: a.Moved, Forgotten: a.Forgotten, Already: a.Already, Classes: map[string]uint64{}}
	for _, class := range classesOf(db) {
		c.Classes[class.Name] = class.Docs
		if isNew != nil && isNew(class) {
			c.New = append(c.New, class.Name)
		}
	}
	_ = p.EncodeJSON(c)
}

// holdings lists the documents of each class, marking those that are new.
func holdings(classes []*count.Class, isNew func(*count.Class) bool) string {
	var parts []string
	total := uint64(0)
	for _, c := range classes {
		mark := ""
		if isNew != nil && isNew(c) {
			mark = " (new)"
		}
		parts = append(parts, fmt.Sprintf("%s %s%s", terminal.Printable(c.Name), terminal.Grouped(c.Docs), mark))
		total += c.Docs
	}
	switch {
	case len(classes) == 0:
		return "it holds no documents now"
	case len(classes) > fewClasses:
		text := fmt.Sprintf("it holds %s documents of %d classes now", terminal.Grouped(total), len(classes))
		if names := newNames(classes, isNew); len(names) > 0 {
			text += ", new are " + someNames(names)
		}
		return text
	}
	return "documents now: " + strings.Join(parts, ", ")
}

// tooFew warns of a database that cannot answer well yet, "" if it can.
func tooFew(classes []*count.Class) string {
	var few []string
	for _, c := range classes {
		if c.Docs < usefulDocuments {
			few = append(few, fmt.Sprintf("%s has %d", terminal.Printable(c.Name), c.Docs))
		}
	}
	switch {
	case len(classes) == 1:
		return fmt.Sprintf("note: %s is the only class; train another, or every answer is %[1]s", terminal.Printable(classes[0].Name))
	case len(few) > fewClasses:
		return fmt.Sprintf("note: %d classes have fewer than %d documents each, too few to be relied on", len(few), usefulDocuments)
	case len(few) > 0:
		return fmt.Sprintf("note: too few documents to be relied on: %s; %d of each is a start", strings.Join(few, ", "), usefulDocuments)
	}
	return ""
}

// classesOf returns the classes of a database that have documents.
func classesOf(db *store.DB) []*count.Class {
	var classes []*count.Class
	_ = db.View(func(s *store.Snapshot) error {
		for _, c := range s.Classes() {
			if c.Docs > 0 {
				classes = append(classes, c)
			}
		}
		return nil
	})
	return classes
}

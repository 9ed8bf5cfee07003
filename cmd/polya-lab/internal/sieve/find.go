// Package sieve writes header rules as Sieve (RFC 5228), with tests that match the
// messages that the rules were found for.
package sieve

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Find returns the most probable rules for the messages given, at most limit or all if
// that is 0, with conditions that Sieve can test, and a Script that writes them. A
// message meets a condition if the Sieve test matches it.
func Find(ctx context.Context, db *store.DB, analyzer *tokenize.Analyzer, all []Message, limit int) (rule.Answer, Script, error) {
	t := writer{
		words:    words{analyzer: analyzer},
		writings: make(map[rule.Condition]*writing),
		domains:  make(map[string]bool),
	}
	docs := make([]count.Document, len(all))
	for i, g := range all {
		docs[i] = count.Document{ID: g.ID, Terms: t.testable(&g)}
	}
	answer, err := rule.Find(ctx, db, docs, rule.Options{Limit: limit})
	if err != nil {
		return answer, Script{}, err
	}
	asked := make(map[rule.Condition]string)
	for _, r := range answer.Rules {
		for _, c := range r.Conditions {
			asked[c] = ""
		}
	}
	if err := t.count(ctx, db, asked); err != nil {
		return answer, Script{}, err
	}
	for c := range asked {
		asked[c] = t.test(c)
	}
	return answer, Script{tests: asked}, nil
}

type writer struct {
	words    words
	writings map[rule.Condition]*writing // for words of subjects
	domains  map[string]bool             // of From: whether mail comes from below it

	parts  map[rule.Condition][]string // for words of subjects: their letters
	df     map[rule.Condition]uint64   // documents that have the condition's term
	others map[rule.Condition]uint64   // documents with its letters in another word
}

// testable returns the terms of the conditions whose test matches g.
func (t *writer) testable(g *Message) (terms []count.TermCount) {
	var subjects []subjectWords
	for _, s := range g.header.subjects {
		subjects = append(subjects, t.words.read(s))
	}
	for _, c := range g.conditions {
		switch {
		case !IsText(c.Value):
			continue
		case c.Kind == rule.SubjectWord:
			if !t.written(c, subjects) {
				continue
			}
		case !g.header.meets(c):
			continue
		case c.Kind == rule.FromDomain:
			below := slices.ContainsFunc(g.header.from, func(a string) bool { return strings.HasSuffix(a, "."+c.Value) })
			t.domains[c.Value] = t.domains[c.Value] || below
		}
		terms = append(terms, count.TermCount{Term: []byte(c.Term()), N: 1})
	}
	return terms
}

// written reports whether a word is in one of the subjects, and records its spelling.
func (t *writer) written(c rule.Condition, subjects []subjectWords) bool {
	w := t.writings[c]
	if w == nil {
		w = new(writing)
	}
	found := false
	for i := range subjects {
		found = t.words.find(w, c, &subjects[i]) || found
	}
	if found {
		t.writings[c] = w
	}
	return found
}

// count searches the vocabulary for words that the tests of these conditions would match
// by mistake.
func (t *writer) count(ctx context.Context, db *store.DB, asked map[rule.Condition]string) error {
	t.parts = make(map[rule.Condition][]string)
	t.df, t.others = make(map[rule.Condition]uint64), make(map[rule.Condition]uint64)
	for c := range asked {
		if c.Kind != rule.SubjectWord {
			continue
		}
		for _, part := range least(t.writings[c].parts) {
			t.parts[c] = append(t.parts[c], strings.ToLower(part))
		}
	}
	return db.View(func(s *store.Snapshot) error {
		return s.Scan(false, func(term []byte, cells []count.Cell) error {
			if word, ok := bytes.CutPrefix(term, []byte("subject:")); ok {
				t.countWord(string(word), cells)
			} else if domain, ok := bytes.CutPrefix(term, []byte("from:")); ok {
				t.countDomain(string(domain))
			}
			return ctx.Err()
		})
	})
}

func (t *writer) countWord(word string, cells []count.Cell) {
	df := uint64(0)
	for i := range cells {
		df += cells[i].DF
	}
	for c, list := range t.parts {
		switch {
		case c.Value == word:
			t.df[c] = df
		case slices.ContainsFunc(list, func(part string) bool { return strings.Contains(word, part) }):
			t.others[c] += df
		}
	}
}

// countDomain records the parent domains of a host in From.
func (t *writer) countDomain(host string) {
	if strings.Contains(host, "@") {
		return
	}
	for at := strings.IndexByte(host, '.'); at >= 0; at = strings.IndexByte(host, '.') {
		host = host[at+1:]
		if _, asked := t.domains[host]; asked {
			t.domains[host] = true
		}
	}
}

// tolerated is the largest ratio of documents with a word's letters in another word to
// documents with the word at which a test looks for the letters.
const tolerated = .05

func (t *writer) test(c rule.Condition) string {
	switch c.Kind {
	case rule.ListID:
		return `header :contains "list-id" ` + quoted(c.Value)
	case rule.FromAddress:
		return `address :is "from" ` + quoted(c.Value)
	case rule.Recipient:
		return `address :is ["to", "cc"] ` + quoted(c.Value)
	case rule.FromDomain:
		if t.domains[c.Value] && t.givesAbove(c) {
			return `address :domain :matches "from" ` + quotedList([]string{literal(c.Value), "*." + literal(c.Value)})
		}
		return `address :domain :is "from" ` + quoted(c.Value)
	}
	w := t.writings[c]
	if float64(t.others[c]) <= tolerated*float64(t.df[c]) {
		return `header :contains "subject" ` + quotedList(least(w.parts))
	}
	chunks := slices.Clone(w.chunks)
	slices.Sort(chunks)
	var patterns []string
	for _, chunk := range slices.Compact(chunks) {
		chunk = literal(chunk)
		patterns = append(patterns, chunk, chunk+" *", "* "+chunk, "* "+chunk+" *")
	}
	return `header :matches "subject" ` + quotedList(patterns)
}

// givesAbove reports whether mail from a subdomain has the domain's term: only a
// registered domain counts for its subdomains.
func (t *writer) givesAbove(c rule.Condition) bool {
	bag := new(tokenize.Bag)
	_ = mail.Tokenize(t.words.analyzer, bag, []byte("From: a@b."+c.Value+"\n\n"))
	for i := range bag.Len() {
		if term, _ := bag.At(i); string(term) == c.Term() {
			return true
		}
	}
	return false
}

// Message is one of the messages to find rules for.
type Message struct {
	ID         count.DocID
	conditions []rule.Condition // conditions that its terms meet
	header     header
}

// NewMessage returns the message with this id and these terms, without a header.
func NewMessage(id count.DocID, bag *tokenize.Bag) Message {
	m := Message{ID: id}
	for i := range bag.Len() {
		term, _ := bag.At(i)
		if c, ok := rule.ConditionOf(term); ok {
			m.conditions = append(m.conditions, c)
		}
	}
	return m
}

// ReadHeader reads the header of the message from the beginning of raw.
func (m *Message) ReadHeader(raw []byte) { m.header = readHeader(raw) }

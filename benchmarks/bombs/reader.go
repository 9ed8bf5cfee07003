package bombs

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// A reader is one way to read inputs, and the bombs for it.
type reader struct {
	name  string
	bombs []bomb
	read  func(raw []byte)
}

// withReaders calls f with all ways in which polya reads input from strangers.
func withReaders(f func([]reader)) {
	dir, remove := harness.Scratch("")
	defer remove()
	plain := harness.Must(tokenize.New("polya-7 attr=mail"))
	full := harness.Must(tokenize.New("polya-7 lang=en stem=on ngram=2 min=1"))
	db := harness.Must(store.Open(filepath.Join(dir, "bombs.polya"), store.Options{}))
	defer db.Close()
	var bag tokenize.Bag
	text := func(a *tokenize.Analyzer) func([]byte) {
		return func(raw []byte) { bag.Reset(); a.Text(&bag, "", raw) }
	}
	walk := func(format corpus.Format) func([]byte) {
		return func(raw []byte) {
			o := corpus.Options{Format: format, Several: format == corpus.Auto, Stdin: bytes.NewReader(raw)}
			// Errors in a bomb do not matter here.
			_ = corpus.Walk(context.Background(), "-", o, func(*corpus.Document) error { return nil })
		}
	}
	f([]reader{
		{"mail", mailBombs, func(raw []byte) {
			bag.Reset()
			mail.Read(plain, &bag, raw)
		}},
		{"identity of mail", mailBombs, func(raw []byte) { mail.ID(raw) }},
		{"text", textBombs, text(plain)},
		{"text, stemmed, with pairs", append(textBombs, stemBombs...), text(full)},
		{"text as a link", textBombs, func(raw []byte) { bag.Reset(); plain.URL(&bag, raw) }},
		{"HTML", append(htmlBombs, textBombs...), func(raw []byte) { bag.Reset(); plain.HTML(&bag, raw) }},
		{"mbox", mboxBombs, walk(corpus.Mbox)},
		{"JSON lines", jsonBombs, walk(corpus.JSONL)},
		{"tables", csvBombs, walk(corpus.CSV)},
		{"found out", append(append(append(mboxBombs, jsonBombs...), csvBombs...), htmlBombs...), walk(corpus.Auto)},
		{"dumps", dumpBombs, func(raw []byte) { _, _ = db.Load(context.Background(), false, bytes.NewReader(raw)) }},
	})
}

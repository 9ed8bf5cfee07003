package tally

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// documentsOf returns documents as a Delta holds them.
func documentsOf(t testing.TB, docs ...count.Document) (all []Document) {
	t.Helper()
	var d store.Delta
	for _, doc := range docs {
		must(t, d.Add(doc))
	}
	d.Each(func(_ count.DocID, class string, e *store.Encoded) {
		doc, err := Parse(class, e.Bytes())
		must(t, err)
		all = append(all, doc)
	})
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func document(i int, class string, terms map[string]int) count.Document {
	d := count.Document{Class: class, Time: time.Unix(1_700_000_000+int64(i), 0)}
	copy(d.ID[:], fmt.Sprintf("document%08d", i))
	for term, n := range terms {
		d.Terms = append(d.Terms, count.TermCount{Term: []byte(term), N: uint8(n)})
	}
	return d
}

// attributed is a document with attributes of all kinds.
func attributed(i int, class string) count.Document {
	d := document(i, class, map[string]int{"all": 1 + i%3, fmt.Sprint("t", i%17): 1 + i%5, fmt.Sprint("u", i%3): 2})
	d.Attributes = []count.Attribute{
		{Name: "day", Kind: count.Category, Category: fmt.Sprint("day", i%5)},
		{Name: "hour", Kind: count.Uniform, Number: float64(i % 24)},
		{Name: "size", Kind: count.Real, Number: float64(i) / 7},
	}
	if i%2 == 0 {
		d.Attributes = append(d.Attributes, count.Attribute{Name: "spam?", Kind: count.YesNo, Number: float64(i / 2 % 2)})
	}
	return d
}

// learned is a database in memory.
func learned(t *testing.T, mode count.Ledger) *store.DB {
	t.Helper()
	db, err := store.OpenMemory(nil, store.Options{Analyzer: "words", Ledger: mode})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func dumpOf(t *testing.T, db *store.DB) string {
	t.Helper()
	var text strings.Builder
	must(t, db.Dump(t.Context(), &text, true))
	return text.String()
}

// sectionsOf writes the dump of documents, counted in so many tallies, in three sections, and
// returns it with its end.
func sectionsOf(t *testing.T, analyzer string, docs []Document, tallies int) string {
	t.Helper()
	parts := make([]*Tally, tallies)
	for i := range parts {
		parts[i] = New()
	}
	for _, e := range docs {
		_, err := parts[rand.IntN(tallies)].Learn(count.LedgerFull, e)
		must(t, err)
	}
	whole := make([]*Tally, 3) // of classes and attributes, of terms, and of others
	for i := range whole {
		whole[i] = New()
	}
	for _, from := range parts {
		pieces, err := from.Pieces([]string{"t5"})
		must(t, err)
		for i, to := range whole {
			must(t, to.Join(pieces[i]))
		}
	}
	var text bytes.Buffer
	var sections []Section
	write := func(t0 *Tally, f func(w *Writer)) {
		w := t0.Writer(&text)
		f(w)
		s, err := w.Close()
		must(t, err)
		sections = append(sections, s)
	}
	var terms bytes.Buffer
	counted := uint64(0)
	for _, part := range whole[1:] {
		w := part.Writer(&terms)
		must(t, w.Terms())
		s, err := w.Close()
		must(t, err)
		counted += s.Terms
	}
	write(whole[0], func(w *Writer) { w.Head(analyzer, false, counted) })
	for _, part := range whole[1:] {
		write(part, func(w *Writer) { must(t, w.Terms()) })
	}
	write(whole[0], func(w *Writer) { must(t, w.Attributes()) })
	slices.SortFunc(docs, func(a, b Document) int {
		x, y := a.ID(), b.ID()
		return bytes.Compare(x[:], y[:])
	})
	write(whole[2], func(w *Writer) {
		for i := range docs {
			w.Document(count.LedgerFull, &docs[i])
		}
	})
	return text.String() + End(sections...)
}

// What tallies write in sections is the dump of a database that learned the documents.
func TestTally(t *testing.T) {
	t.Parallel()
	var docs []count.Document
	for i := range 70 {
		docs = append(docs, attributed(i, fmt.Sprint("c", i%11)))
	}
	db := learned(t, count.LedgerFull)
	var d store.Delta
	for _, doc := range docs {
		must(t, d.Add(doc))
	}
	_, err := db.Apply(&d)
	must(t, err)
	want := dumpOf(t, db)
	for _, n := range []int{1, 2, 9} {
		if got := sectionsOf(t, "words", documentsOf(t, docs...), n); got != want {
			t.Errorf("there is\n%s\nwant\n%s", got, want)
		}
	}
}

// Of copies of a document a Tally keeps what a database keeps that learns them one by one, in
// any order if the ledger keeps their counts.
func TestTallyCopies(t *testing.T) {
	t.Parallel()
	copies := make([]count.Document, 5)
	for i := range copies {
		copies[i] = document(1, "ham", map[string]int{"same": 1, fmt.Sprint("word", i%4): 1 + i/4})
		copies[i].Source = fmt.Sprint("source", i%2)
	}
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		first := ""
		for i := range 40 {
			rand.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
			order := slices.Clone(copies)
			if i%2 == 1 {
				order[rand.IntN(len(order))].Class = "spam"
			}
			db := learned(t, mode)
			var want store.Applied
			for k := range order {
				var d store.Delta
				must(t, d.Add(order[k]))
				a, err := db.Apply(&d)
				must(t, err)
				want.Learned, want.Moved, want.Already, want.Conflicts = want.Learned+a.Learned, want.Moved+a.Moved, want.Already+a.Already, append(want.Conflicts, a.Conflicts...)
			}
			tally := New()
			kept, err := tally.Learn(mode, documentsOf(t, order...)...)
			must(t, err)
			a := tally
			if a.Learned != want.Learned || a.Moved != want.Moved || a.Already != want.Already || a.Conflicts != len(want.Conflicts) {
				t.Fatalf("%s: %d learned, %d moved, want %+v", mode, a.Learned, a.Moved, want)
			}
			var text strings.Builder
			w := tally.Writer(&text)
			must(t, w.Terms())
			if mode != count.LedgerNone {
				w.Document(mode, &kept)
			}
			_, err = w.Close()
			must(t, err)
			body := dumpOf(t, db)
			if !strings.HasSuffix(body[:strings.Index(body, "\nend")+1], text.String()) {
				t.Fatalf("%s: there is\n%s\nwant\n%s", mode, text.String(), body)
			}
			if mode == count.LedgerDigest || i%2 == 1 {
				continue
			}
			if first = max(first, body); first != body {
				t.Fatalf("%s: one order leaves\n%s\nanother\n%s", mode, first, body)
			}
		}
	}
}

// FuzzPiece tries damaged pieces: they are refused, or count.
func FuzzPiece(f *testing.F) {
	tally := New()
	for _, e := range documentsOf(f, attributed(1, "ham"), attributed(2, "spam")) {
		_, err := tally.Learn(count.LedgerFull, e)
		must(f, err)
	}
	pieces, err := tally.Pieces([]string{"t3"})
	must(f, err)
	for _, p := range pieces {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tally := New()
		if err := tally.Join(data); err != nil {
			var kind *count.AttributeError
			if !errors.Is(err, count.ErrInvalid) && !errors.Is(err, count.ErrTooMany) && !errors.As(err, &kind) {
				t.Fatal(err)
			}
			return
		}
		_, err := tally.Pieces(nil)
		if err == nil {
			var text bytes.Buffer
			w := tally.Writer(&text)
			_, _ = w.Terms(), w.Attributes()
			_, err = w.Close()
			must(t, err)
		}
	})
}

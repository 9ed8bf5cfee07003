package store

import (
	"errors"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Documents that a dump lists must be among its counts: otherwise the ledger would know what
// was never counted.
func TestListed(t *testing.T) {
	t.Parallel()
	fast(t)
	all := []count.Attribute{realOf(1), categoryOf("v"), yesNoOf(1)}
	docs := []count.Document{withAttributes(1, "ham", all...), document(2, "ham", map[string]int{"term": 1, "b": 2}), withAttributes(3, "spam", realOf(2))}
	made := func(docs ...count.Document) *Delta {
		db := open(t, tempDB(t), Options{})
		add(t, db, docs...)
		return deltaOf(t, db)
	}
	with := func(change func(d *Delta)) *Delta {
		d := made(docs...)
		change(d)
		return d
	}
	note := func(doc count.Document) step {
		b, err := encoded.Encode(&doc)
		if err != nil {
			t.Fatal(err)
		}
		return documentStep(stepNote, doc.Class, b)
	}
	refuse := func(what string, d *Delta) {
		t.Helper()
		if err := d.checkNotes(); !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	digests := with(func(d *Delta) {
		for i := range d.steps {
			d.steps[i].doc, d.steps[i].entry = nil, &stored.Entry{Keep: count.LedgerDigest}
		}
	})
	must(t, made(docs...).checkNotes())
	must(t, with(func(d *Delta) { d.steps = d.steps[:1] }).checkNotes())
	must(t, digests.checkNotes())
	for what, d := range map[string]*Delta{
		"another class":     with(func(d *Delta) { d.steps[0].class = "spam" }),
		"no such class":     with(func(d *Delta) { d.steps[0].class = "other" }),
		"one document more": with(func(d *Delta) { d.steps = append(d.steps, note(document(4, "ham", nil))) }),
		"another term":      with(func(d *Delta) { d.steps[1] = note(document(2, "ham", map[string]int{"other": 1, "b": 2})) }),
		"another length":    with(func(d *Delta) { d.steps[1] = note(document(2, "ham", map[string]int{"term": 1, "b": 1})) }),
		"one twice":         with(func(d *Delta) { d.steps[1] = d.steps[0] }),
		"another number":    with(func(d *Delta) { d.steps[2] = note(withAttributes(3, "spam", realOf(3))) }),
		"another attribute": with(func(d *Delta) { d.steps[2] = note(withAttributes(3, "spam", yesNoOf(1))) }),
		"no attributes":     with(func(d *Delta) { d.steps[2] = note(withAttributes(3, "spam")) }),
	} {
		refuse(what, d)
	}
	pair := made(document(5, "ham", map[string]int{"a": 1, "b": 1}), document(6, "ham", map[string]int{"a": 1, "c": 1}))
	pair.steps = []step{note(document(7, "ham", map[string]int{"b": 1, "c": 1}))}
	refuse("more of a term than documents are left", pair)
	refuse("weight of no document", with(func(d *Delta) { d.sums[0].Classes[1].DroppedWeight = 5 }))
	digests.steps = append(digests.steps, digests.steps[0])
	refuse("more digests than documents", digests)
}

// The sender of a Delta enters nothing in the ledger that it does not learn.
func TestDeltaNotes(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, sample(1, "ham"))
	b, err := deltaOf(t, db).MarshalBinary()
	must(t, err)
	if err := new(Delta).UnmarshalBinary(b); !errors.Is(err, count.ErrInvalid) {
		t.Error(err)
	}
}

// A document that no ledger knows is not taken away if another was learned, as far
// as that can be seen: no term or attribute may be left in more documents than
// there are.
func TestTakeAnother(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 1000} {
		fast(t)
		shortTails(t)
		tune(t).manySteps = many
		db := open(t, tempDB(t), Options{Ledger: count.LedgerNone, Analyzer: "a"})
		terms := func(list ...string) map[string]int {
			m := map[string]int{}
			for _, term := range list {
				m[term] = 1
			}
			return m
		}
		x, y := document(1, "ham", terms("a", "b")), document(2, "ham", terms("a", "c"))
		y.Attributes = []count.Attribute{yesNoOf(1)}
		add(t, db, x, y)
		mustRefuseChange(t, "the terms of two", db, count.ErrNotLearned, func() error {
			_, err := db.Apply(take(t, document(3, "ham", terms("b", "c"))))
			return err
		})
		plain := documentCopy(y)
		plain.Attributes = nil
		if _, err := db.Apply(take(t, x)); err != nil {
			t.Fatal(err)
		}
		mustRefuseChange(t, "without its attribute", db, count.ErrNotLearned, func() error {
			_, err := db.Apply(take(t, plain))
			return err
		})
		if _, err := db.Apply(take(t, y)); err != nil {
			t.Fatal(err)
		}
	}
}

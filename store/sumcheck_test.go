package store

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// mustRefuseWire wants the wire form of d, with a right checksum, to be refused.
func mustRefuseWire(t *testing.T, what string, d *Delta) {
	t.Helper()
	b, err := d.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Delta).UnmarshalBinary(b); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("%s: %v", what, err)
	}
}

// A term that stands twice in a sum would be counted in more documents than there
// are; in one order, equal sums have equal bytes.
func TestDeltaTermsInOrder(t *testing.T) {
	t.Parallel()
	fast(t)
	a := table.Cell{DF: 1, TF: 1, W: 1, U: []uint32{1}}
	terms := func(list ...string) *Delta {
		s := summed.Documents{Classes: []count.Class{{Name: "ham", Docs: 1, Lengths: []count.Pair{{N: uint64(len(list)), Count: 1}}}}}
		for _, term := range list {
			s.AddRow([]byte(term), 0, []table.Cell{a})
		}
		return &Delta{sums: []summed.Documents{s}}
	}
	throughWire(t, terms("a", "b", "c"))
	mustRefuseWire(t, "twice", terms("a", "a"))
	mustRefuseWire(t, "twice, apart", terms("a", "b", "a"))
	x, _ := terms("c", "a", "b").MarshalBinary()
	y, _ := terms("a", "b", "c").MarshalBinary()
	if !bytes.Equal(x, y) {
		t.Error("the order of the terms is not that of the wire form")
	}
	// Out of order on the wire.
	at := bytes.Index(y, []byte("\x01a"))
	size := bytes.Index(y, []byte("\x01b")) - at
	swapped := slices.Concat(y[:at], y[at+size:at+2*size], y[at:at+size], y[at+2*size:len(y)-4])
	if err := new(Delta).UnmarshalBinary(deltaCRC(swapped)); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("out of order: %v", err)
	}
	if err := new(Delta).UnmarshalBinary(deltaCRC(y[:len(y)-4])); err != nil {
		t.Error(err)
	}
	// Terms from a database come in the order of its tables.
	db := open(t, tempDB(t), Options{})
	for i := range 20 {
		add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
	}
	throughWire(t, deltaOf(t, db))
}

// Documents that a Delta enters in the ledger must be among its sums: otherwise the
// ledger would know what was never counted.
func TestDeltaNotes(t *testing.T) {
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
	throughWire(t, made(docs...))
	throughWire(t, with(func(d *Delta) { d.steps = d.steps[:1] }))
	throughWire(t, with(func(d *Delta) { d.Merge(made(document(4, "new", map[string]int{"a": 1}))) }))
	for what, d := range map[string]*Delta{
		"no sums":           with(func(d *Delta) { d.sums = nil }),
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
		mustRefuseWire(t, what, d)
	}
	pair := made(document(5, "ham", map[string]int{"a": 1, "b": 1}), document(6, "ham", map[string]int{"a": 1, "c": 1}))
	pair.steps = []step{note(document(7, "ham", map[string]int{"b": 1, "c": 1}))}
	mustRefuseWire(t, "more of a term than documents are left", pair)
	mustRefuseWire(t, "weight of no document", with(func(d *Delta) { d.sums[0].Classes[1].DroppedWeight = 5 }))
	kinds := made(withAttributes(1, "ham", realOf(1)))
	kinds.Merge(made(withAttributes(2, "ham", count.Attribute{Name: "x", Kind: count.YesNo})))
	mustRefuseWire(t, "an attribute of two kinds", kinds)
	digests := with(func(d *Delta) {
		for i := range d.steps {
			d.steps[i].kind, d.steps[i].doc, d.steps[i].entry = stepDigest, nil, &stored.Entry{Keep: count.LedgerDigest}
		}
	})
	throughWire(t, digests)
	digests.steps = append(digests.steps, digests.steps[0])
	mustRefuseWire(t, "more digests than documents", digests)
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

package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// prunedExample is the document of example without one of its terms.
func prunedExample() []byte {
	_, b := example()
	left, _ := b.Split(func(term []byte, _ uint8) (bool, error) { return string(term) != "run", nil })
	return left.Raw
}

// attributeExample is a document with attributes of all kinds, and with dropped
// terms or none.
func attributeExample(pruned bool) []byte {
	d := attributed(1, "ham")
	if pruned {
		d.Terms, d.Dropped = d.Terms[:1], []count.Pair{{N: 2, Count: 3}}
	}
	b, _ := encoded.Encode(&d)
	return b.Raw
}

// parsedStep learns an encoded document as ham.
func parsedStep(raw []byte) step {
	doc, _, _ := encoded.Parse(raw)
	return documentStep(stepAdd, "ham", &doc)
}

func FuzzDocument(f *testing.F) {
	raw, _ := example()
	f.Add(raw)
	f.Add(prunedExample())
	f.Add(attributeExample(false))
	f.Add(attributeExample(true))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, rest, err := encoded.Parse(data)
		if err != nil {
			return
		}
		b.Digest()
		if tokens, weight := b.DroppedSums(); tokens > b.Tokens || weight>>16 > tokens {
			t.Errorf("%x has %d dropped tokens of weight %d, of %d", data, tokens, weight, b.Tokens)
		}
		doc := b.Decode("")
		doc.Weights()
		if !b.Sorted() {
			return
		}
		// What is in order is what encoded.Encode writes, but for long varints.
		again, err := encoded.Encode(&doc)
		if err != nil || len(again.Raw) > len(data)-len(rest) {
			t.Fatalf("%x is written as %+v, %v", data, again, err)
		}
		read, _, err := encoded.Parse(again.Raw)
		if len(read.Dropped) == 0 {
			read.Dropped = again.Dropped // nil or empty
		}
		if err != nil || !reflect.DeepEqual(&read, again) {
			t.Errorf("%+v is read as %+v, %v", again, read, err)
		}
	})
}

func FuzzRecord(f *testing.F) {
	_, b := example()
	doc := b.Decode("")
	_, weight := doc.Weights()
	rec := stored.Record{Seq: 1, Op: stored.OpTrain, Keep: count.LedgerFull, Class: 1, Fresh: 3, Weight: weight, Moves: wire.AppendPairs(nil, []count.Pair{{N: 0, Count: 3}}), Doc: b}
	value := rec.Encode()
	f.Add(value[:len(value)-4])
	for _, doc := range [][]byte{prunedExample(), attributeExample(false), attributeExample(true)} {
		rec.Doc.Raw = doc
		value = rec.Encode()
		f.Add(value[:len(value)-4])
	}
	class := count.Class{Docs: 1, Tokens: 3, Weight: 9, Lengths: []count.Pair{{N: 3, Count: 1}}, Dropped: 3, DroppedWeight: 9}
	value = stored.EncodeClass(&class, stored.SeqKey(1))
	f.Add(value[:len(value)-4])
	value = (&stored.Corpus{Merged: 1, Seq: 1, Vocabulary: 2, Epoch: 1}).Encode()
	f.Add(value[:len(value)-4])
	f.Fuzz(func(t *testing.T, data []byte) {
		key := stored.SeqKey(1)
		if rec, err := stored.DecodeRecord(key, wire.AppendCRC(bytes.Clone(data), key)); err == nil {
			sums := totals.Totals{Classes: []*count.Class{{ID: 1}}, Index: []int32{-1, 0}}
			_ = sums.Count(&rec)
			rec.Doc.Each(func([]byte, uint8) {})
			rec.Entry()
		}
		var c count.Class
		stored.DecodeClass(wire.AppendCRC(bytes.Clone(data), key), key, &c)
		stored.DecodeCorpus(wire.AppendCRC(bytes.Clone(data), stored.KeyCorpus))
		stored.DecodeRound(wire.AppendCRC(bytes.Clone(data), stored.KeyRound))
		stored.DecodeHeader(data)
		stored.DecodeHeader(wire.AppendCRC(bytes.Clone(data), stored.KeyHeader))
		id := bytes.Repeat([]byte{7}, 16)
		if e, err := stored.DecodeEntry(id, wire.AppendCRC(bytes.Clone(data), id)); err == nil {
			if _, err := stored.DecodeEntry(id, e.Encode(count.DocID(id))); err != nil {
				t.Errorf("an entry written again: %v", err)
			}
		}
	})
}

// Whatever Delta decodes has one wire form, and applied it leaves a database
// that checks clean, or unchanged.
func FuzzDelta(f *testing.F) {
	for _, ids := range [][]int{{}, {1}, {2, 3, 4}} {
		var d Delta
		for _, i := range ids {
			d.Add(sample(i, "ham"))
			d.Take(sample(i, "ham"))
			d.Move(sample(i, "spam"))
			d.Forget(sample(i, "").ID)
			onlyNew(&d, sample(i, "ham"))
		}
		wire, _ := d.MarshalBinary()
		f.Add(wire[:len(wire)-4])
	}
	for _, doc := range [][]byte{prunedExample(), attributeExample(false), attributeExample(true)} {
		wire, _ := (&Delta{steps: []step{parsedStep(doc)}}).MarshalBinary()
		f.Add(wire[:len(wire)-4])
	}
	fast(f)
	db, err := Open(filepath.Join(f.TempDir(), "fuzz.polya"), tuned(f, Options{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		var d, again Delta
		if d.UnmarshalBinary(deltaCRC(data)) != nil {
			return
		}
		wire, err := d.MarshalBinary()
		if err != nil || again.UnmarshalBinary(wire) != nil {
			t.Fatalf("%x is written as %x, which is no Delta: %v", data, wire, err)
		}
		before := dumpOf(t, db, true)
		if _, err := db.Apply(&d); err != nil && dumpOf(t, db, true) != before {
			t.Errorf("a failed Delta changed the database: %v", err)
		}
		mustCheck(t, db)
	})
}

// prunedDB is a small database with documents of every kind from before and
// after terms were dropped.
func prunedDB(f testing.TB) *DB {
	db, err := Open(filepath.Join(f.TempDir(), "pruned.polya"), tuned(f, Options{Analyzer: "a", Ledger: count.LedgerDigest}))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	full := Delta{Keep: count.LedgerFull}
	full.Add(document(1, "ham", map[string]int{"a": 1, "b": 2}))
	if _, err := db.Apply(&full); err != nil {
		f.Fatal(err)
	}
	add(f, db, document(2, "ham", map[string]int{"a": 3, "c": 1}))
	if _, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool { return term[0] == 'a' }); err != nil {
		f.Fatal(err)
	}
	add(f, db, document(3, "spam", map[string]int{"a": 1, "d": 1}))
	return db
}

// attributeDB is a small database of documents with attributes.
func attributeDB(f testing.TB) *DB {
	db, err := Open(filepath.Join(f.TempDir(), "attributes.polya"), tuned(f, Options{Analyzer: "a"}))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	for i := range 6 {
		add(f, db, withAttributes(i, []string{"ham", "spam"}[i%2], attributed(i, "").Attributes...))
	}
	return db
}

func deltaOf(f testing.TB, db *DB) (d *Delta) {
	err := db.View(func(s *Snapshot) (err error) {
		d, err = s.delta(context.Background())
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return d
}

// deltaCRC closes a wire form with its checksum.
func deltaCRC(data []byte) []byte { return wire.AppendCRC(bytes.Clone(data), nil) }

// Whatever dump loads into an empty database is what that dumps again, but for
// how it is written.
func FuzzLoad(f *testing.F) {
	fast(f)
	dir := f.TempDir()
	source, err := Open(filepath.Join(dir, "source.polya"), tuned(f, Options{Analyzer: "a"}))
	if err != nil {
		f.Fatal(err)
	}
	defer source.Close()
	for i := range 3 {
		add(f, source, sample(i, []string{"ham", "spam"}[i%2]))
	}
	text := dumpOf(f, source, true)
	f.Add(text[:len(text)-len("end\t00000000\n")])
	f.Add("polya-dump\t1\nanalyzer\ta\nvocabulary\t0\n")
	tags, err := Open(filepath.Join(dir, "tags.polya"), tuned(f, Options{Analyzer: "a", Tags: true}))
	if err != nil {
		f.Fatal(err)
	}
	defer tags.Close()
	for i := range 3 {
		add(f, tags, sample(i, []string{",", ",a%2C,b", ",b"}[i]))
	}
	f.Add(dumpBody(dumpOf(f, tags, true)))
	f.Add(dumpBody(dumpOf(f, prunedDB(f), true)))
	f.Add(dumpBody(dumpOf(f, attributeDB(f), true)))
	f.Add(dumpBody(dumpOf(f, attributeDB(f), false)))
	f.Fuzz(func(t *testing.T, text string) {
		load := func(name, text string) string {
			db, err := Open(filepath.Join(t.TempDir(), name), tuned(t, Options{Analyzer: "a", Tags: strings.HasPrefix(text, "polya-dump\t1\ttags\n")}))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Load(context.Background(), false, bytes.NewReader([]byte(endDump(text)))); err != nil {
				return ""
			}
			mustCheck(t, db)
			return dumpOf(t, db, true)
		}
		if first := load("first", text); first != "" {
			if second := load("second", dumpBody(first)); second != first {
				t.Errorf("loaded, dumped and loaded again it is\n%q\nnot\n%q", second, first)
			}
		}
	})
}

// endDump adds the line that ends a dump.
func endDump(text string) string {
	return fmt.Sprintf("%send\t%08x\n", text, wire.Checksum([]byte(text)))
}

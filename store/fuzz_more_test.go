package store

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// fuzzDB is a small database in memory's speed, with documents of all kinds.
func fuzzDB(f testing.TB, o Options) *DB {
	fast(f)
	db, err := Open(filepath.Join(f.TempDir(), "fuzz.polya"), tuned(f, o))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	return db
}

// What is read as a document is written as the same bytes, unless its terms
// are out of order; and its parts can be read.
func FuzzBody(f *testing.F) {
	raw, _ := example()
	f.Add(raw)
	f.Add(prunedExample())
	f.Add(attributeExample(false))
	f.Add(attributeExample(true))
	f.Add(append(make([]byte, 16), 0, 0, 0, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, rest, err := encoded.Parse(data)
		if err != nil {
			return
		}
		n := uint64(0)
		b.Each(func(term []byte, count uint8) {
			if len(term) == 0 || count == 0 {
				t.Fatalf("term %q with count %d", term, count)
			}
			n++
		})
		if n != b.Distinct {
			t.Fatalf("%d terms, %d are announced", n, b.Distinct)
		}
		doc := b.Decode("x")
		doc.Weights()
		if !b.Sorted() {
			return
		}
		again, err := encoded.Encode(&doc)
		if err != nil {
			t.Fatal(err)
		}
		if doc.Time.IsZero() != (b.Time == 0) {
			return // year 1, which is written as no time
		}
		if !bytes.Equal(again.Raw, data[:len(data)-len(rest)]) {
			t.Fatalf("%x is written again as %x", data[:len(data)-len(rest)], again.Raw)
		}
	})
}

func FuzzEntry(f *testing.F) {
	id := count.DocID{1, 2, 3}
	for _, e := range []stored.Entry{{Keep: count.LedgerFull, Class: 1, Seq: 300}, {Keep: count.LedgerDigest, Class: 2, Time: -5, Source: []byte("me"), Digest: 1 << 60}, {Keep: count.LedgerDigest, Epoch: 3}} {
		b := e.Encode(id)
		f.Add(b[:len(b)-4])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		stored.DecodeEntry(id[:], data)
		value := wire.AppendCRC(bytes.Clone(data), id[:])
		e, err := stored.DecodeEntry(id[:], value)
		if err != nil {
			return
		}
		if again := e.Encode(id); !bytes.Equal(again, value) {
			t.Fatalf("%x is written again as %x", value, again)
		}
	})
}

func FuzzHeader(f *testing.F) {
	h := stored.Header{Version: FormatVersion, Ledger: count.LedgerDigest}
	f.Add(h.Encode())
	f.Add([]byte{0, 2, 0, 0, 0, 0})
	f.Add([]byte{0, 1, 0, 0, 0, 9})
	h.Flags = stored.FlagPruned | stored.FlagAttributes
	f.Add(h.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := stored.DecodeHeader(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(h.Encode(), data) {
			t.Fatalf("%x is written again as %x", data, h.Encode())
		}
	})
}

// A Delta that is read is written as the same bytes, and applying it leaves a
// database that checks clean, or is refused and leaves it as it was.
func FuzzDeltaApplied(f *testing.F) {
	db := fuzzDB(f, Options{})
	for i := range 6 {
		add(f, db, sample(i, []string{"ham", "spam"}[i%2]))
	}
	add(f, db, attributed(6, "ham"), attributed(8, "ham"))
	var untracked Delta
	untracked.Keep = count.LedgerNone
	untracked.Add(attributed(7, "ham"))
	if _, err := db.Apply(&untracked); err != nil {
		f.Fatal(err)
	}
	before := dumpOf(f, db, true)
	seed := func(d *Delta) {
		b, err := d.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[4 : len(b)-4])
	}
	var d Delta
	d.Add(document(50, "new", map[string]int{"a": 1, "ab": 2}))
	d.Take(sample(1, "spam"))
	d.Forget(sample(2, "").ID)
	d.Relabel(sample(3, "").ID, "new")
	onlyNew(&d, sample(4, "spam"))
	onlyNew(&d, document(51, "new", map[string]int{"a": 1}))
	seed(&d)
	seed(&untracked)
	for _, doc := range [][]byte{prunedExample(), attributeExample(false), attributeExample(true)} {
		seed(&Delta{steps: []step{parsedStep(doc)}})
	}
	restore := func(t *testing.T) {
		for _, name := range classNames(db) {
			if err := db.DeleteClass(context.Background(), name); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Load(context.Background(), false, strings.NewReader(before)); err != nil {
			t.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := append([]byte(deltaMagic), data...)
		var d Delta
		d.UnmarshalBinary(whole)
		crc := wire.AppendCRC(whole, nil)
		if err := d.UnmarshalBinary(crc); err != nil {
			return
		}
		again, err := d.MarshalBinary()
		if err != nil || !bytes.Equal(again, crc) {
			t.Fatalf("%x is written again as %x, %v", crc, again, err)
		}
		if _, err := db.Apply(&d); err != nil {
			mustBeOneLine(t, err, db.Path())
			if dumpOf(t, db, true) != before {
				t.Fatalf("a Delta that was refused (%v) has changed something", err)
			}
			return
		}
		mustCheck(t, db)
		if dumpOf(t, db, true) != before {
			restore(t)
		}
	})
}

func classNames(db *DB) (names []string) {
	db.View(func(s *Snapshot) error {
		for _, c := range s.Classes() {
			names = append(names, c.Name)
		}
		return nil
	})
	return names
}

// Whatever loads is dumped as the same counts.
func FuzzLoadDumped(f *testing.F) {
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		db := fuzzDB(f, Options{Analyzer: "a", Ledger: mode})
		add(f, db, document(1, "ham", map[string]int{"one": 1, "two": 2}), document(2, "sp\\am", map[string]int{"one": 3, "odd\t\xff": 1}))
		for _, ledger := range []bool{false, true} {
			f.Add(dumpBody(dumpOf(f, db, ledger)))
		}
	}
	f.Add(dumpBody(dumpOf(f, prunedDB(f), true)))
	f.Add(dumpBody(dumpOf(f, attributeDB(f), true)))
	f.Add(dumpBody(dumpOf(f, attributeDB(f), false)))
	db := fuzzDB(f, Options{Analyzer: "a"})
	f.Fuzz(func(t *testing.T, body string) {
		if !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		sum := wire.AppendCRC([]byte(body), nil)[len(body):]
		text := body + "end\t" + hexOf([]byte{sum[3], sum[2], sum[1], sum[0]}) + "\n"
		if _, err := db.Load(context.Background(), false, strings.NewReader(text)); err != nil {
			mustBeOneLine(t, err, db.Path())
			return
		}
		got := dumpOf(t, db, true)
		mustCheck(t, db)
		for _, name := range classNames(db) {
			if err := db.DeleteClass(context.Background(), name); err != nil {
				t.Fatal(err)
			}
		}
		// The lines of the counts are the same, but for how they were written:
		// loading what was dumped gives it again.
		if _, err := db.Load(context.Background(), false, strings.NewReader(got)); err != nil {
			t.Fatalf("what was dumped does not load: %v", err)
		}
		if again := dumpOf(t, db, true); again != got {
			t.Fatal("what was dumped loads as something else")
		}
		counts := func(s string) (n int) {
			for _, l := range strings.Split(s, "\n") {
				for _, kind := range []string{"class\t", "term\t", "attribute\t", "value\t", "document\t", "digest\t"} {
					if strings.HasPrefix(l, kind) {
						n++
					}
				}
			}
			return n
		}
		if counts(got) != counts(text) {
			t.Fatalf("%d lines of counts were loaded, %d are dumped", counts(text), counts(got))
		}
		for _, name := range classNames(db) {
			if err := db.DeleteClass(context.Background(), name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	out := ""
	for _, c := range b {
		out += string(digits[c>>4]) + string(digits[c&15])
	}
	return out
}

// Whatever is read as a row of attributes is written as the same bytes.
func FuzzAttributeRow(f *testing.F) {
	err := attributeDB(f).View(func(s *Snapshot) error {
		all, err := s.sums(context.Background())
		for _, a := range all.Attributes {
			f.Add(a.Row.Append(nil))
			for _, v := range a.Values {
				f.Add(v.Row.Append(nil))
			}
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var row attributes.Row
		if row.Decode(data) == nil {
			if again := row.Append(nil); !bytes.Equal(again, data) {
				t.Errorf("%x is written again as %x", data, again)
			}
			for i := range row.Cells {
				c := &row.Cells[i]
				if c.Check() == nil && (c.Deviations() < 0 || c.Deviations() != c.Deviations()) {
					t.Errorf("%x has deviations %g", data, c.Deviations())
				}
				c.Mean()
			}
		}
		if row.DecodeValue(data) == nil && !bytes.Equal(row.Append(nil), data) {
			t.Errorf("%x is written again as %x", data, row.Append(nil))
		}
		if name, value, ok := attributes.SplitValueKey(data); ok && attributes.ValueKey(name, string(value)) != string(data) {
			t.Errorf("the key %x is of %q and %x", data, name, value)
		}
	})
}

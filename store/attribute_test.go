package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// withAttributes is a document of one term with these attributes.
func withAttributes(i int, class string, list ...count.Attribute) count.Document {
	d := document(i, class, map[string]int{"term": 1})
	d.Attributes = list
	return d
}

func realOf(x float64) count.Attribute {
	return count.Attribute{Name: "x", Kind: count.Real, Number: x}
}
func uniformOf(x float64) count.Attribute {
	return count.Attribute{Name: "u", Kind: count.Uniform, Number: x}
}
func categoryOf(s string) count.Attribute {
	return count.Attribute{Name: "c", Kind: count.Category, Category: s}
}
func yesNoOf(yes float64) count.Attribute {
	return count.Attribute{Name: "y", Kind: count.YesNo, Number: yes}
}
func take(t testing.TB, docs ...count.Document) *Delta {
	t.Helper()
	d := new(Delta)
	for _, doc := range docs {
		if err := d.Take(documentCopy(doc)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Any order and any grouping of the same documents gives the same dump, whatever the
// reals, and forgetting them in another order gives the dump of an empty database.
func TestAttributesAnyOrder(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	const n = 60
	m := &model{docs: map[count.DocID]count.Document{}}
	docs := make([]count.Document, n)
	for i := range docs {
		docs[i] = attributed(i, []string{"ham", "spam", "work"}[i%3])
		m.docs[docs[i].ID] = docs[i]
	}
	for _, group := range []int{1, 7, 19, 20, n} {
		for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
			t.Run(fmt.Sprint(group, ledger), func(t *testing.T) {
				shortTails(t)
				fast(t)
				db := open(t, tempDB(t), Options{Analyzer: "a", Ledger: ledger})
				empty := dumpOf(t, db, true)
				for i := range slices.Chunk(numbers(n, group), group) {
					var some []count.Document
					for _, k := range i {
						some = append(some, documentCopy(docs[k]))
					}
					add(t, db, some...)
				}
				mustEqualModel(t, db, m)
				mustCheck(t, db)
				for some := range slices.Chunk(numbers(n, 3*group+2), group) {
					var d Delta
					for _, k := range some {
						d.Merge(take(t, docs[k]))
					}
					if _, err := db.Apply(&d); err != nil {
						t.Fatal(err)
					}
				}
				mustEqualText(t, dumpOf(t, db, true), empty)
				mustCheck(t, db)
			})
		}
	}
}

// numbers are 0 to n-1 in an order that seed decides.
func numbers(n, seed int) []int {
	step := 1 + 2*seed%n
	for gcd(step, n) != 1 {
		step++
	}
	list := make([]int, n)
	for i := range list {
		list[i] = (i*step + seed) % n
	}
	return list
}

// A sum of floating-point numbers would lose the small ones.
func TestAttributesForgetReals(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 1000} {
		fast(t)
		shortTails(t)
		tune(t).manySteps = many
		db := open(t, tempDB(t), Options{})
		add(t, db, withAttributes(0, "ham", realOf(1e-300)), withAttributes(1, "ham", realOf(0.1)))
		before := dumpOf(t, db, true)
		var docs []count.Document
		for i, x := range []float64{1e150, -1e150, 3.1415926535897931, 0.30000000000000004, 5e-324, count.MaxReal, 1e-300} {
			docs = append(docs, withAttributes(10+i, "ham", realOf(x)))
		}
		add(t, db, docs...)
		if _, err := db.Apply(take(t, docs...)); err != nil {
			t.Fatal(err)
		}
		mustEqualText(t, dumpOf(t, db, true), before)
		db.View(func(s *Snapshot) error {
			list, err := s.Attributes()
			if err != nil || len(list) != 1 || list[0].Classes[0].Mean() != 0.1/2 {
				t.Errorf("%+v, %v", list, err)
			}
			return nil
		})
	}
}

// What cannot be an attribute is refused, with nothing learned: alone, among
// others in a Delta, and in one of many documents.
func TestAttributesRefused(t *testing.T) {
	t.Parallel()
	fast(t)
	shortTails(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, withAttributes(0, "ham", realOf(1), categoryOf("a"), uniformOf(3), yesNoOf(1)))
	before := dumpOf(t, db, true)
	number := func(k count.Kind, x float64) []count.Attribute {
		return []count.Attribute{{Name: "new", Kind: k, Number: x}}
	}
	for name, list := range map[string][]count.Attribute{
		"not a number":       number(count.Real, math.NaN()),
		"infinite":           number(count.Real, math.Inf(1)),
		"minus infinite":     number(count.Real, math.Inf(-1)),
		"beyond MaxReal":     number(count.Real, math.Nextafter(count.MaxReal, math.Inf(1))),
		"uniform NaN":        number(count.Uniform, math.NaN()),
		"negative uniform":   number(count.Uniform, -5e-324),
		"half a yes":         number(count.YesNo, 0.5),
		"yes that is NaN":    number(count.YesNo, math.NaN()),
		"no kind":            number(0, 1),
		"unknown kind":       number(5, 1),
		"empty category":     {{Name: "new", Kind: count.Category}},
		"a megabyte":         {{Name: "new", Kind: count.Category, Category: strings.Repeat("x", 1<<20)}},
		"a name of megabyte": {{Name: strings.Repeat("x", 1<<20), Kind: count.Real}},
		"no name":            {{Kind: count.Real}},
		"control character":  {{Name: "a\nb", Kind: count.Real}},
		"twice":              {{Name: "new", Kind: count.Real}, {Name: "new", Kind: count.Real, Number: 1}},
		"too many":           make([]count.Attribute, count.MaxAttributes+1),
	} {
		var d Delta
		err := d.Add(withAttributes(1, "ham", list...))
		if !errors.Is(err, count.ErrInvalid) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%s: %v", name, err)
		}
		if err := d.Take(withAttributes(0, "ham", list...)); !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%s taken: %v", name, err)
		}
		if _, err := db.Apply(&d); err != nil || d.Len() != 0 {
			t.Errorf("%s: %d steps, %v", name, d.Len(), err)
		}
	}
	mustEqualText(t, dumpOf(t, db, true), before)
	// An attribute whose kind changes.
	for name, changed := range map[string]count.Attribute{
		"real to category":  {Name: "x", Kind: count.Category, Category: "1"},
		"real to uniform":   {Name: "x", Kind: count.Uniform, Number: 1},
		"category to yesno": {Name: "c", Kind: count.YesNo, Number: 1},
		"uniform to real":   {Name: "u", Kind: count.Real, Number: 3},
		"yesno to real":     {Name: "y", Kind: count.Real, Number: 1},
	} {
		for _, n := range []int{0, 3, 40} {
			var docs []count.Document
			for i := range n {
				docs = append(docs, attributed(100+i, "new class"))
			}
			docs = slices.Insert(docs, n/2, withAttributes(50, "ham", count.Attribute{Name: "a", Kind: count.Real, Number: 1}, changed))
			var d Delta
			for _, doc := range docs {
				if err := d.Add(doc); err != nil {
					t.Fatal(err)
				}
			}
			_, err := db.Apply(&d)
			var kind *count.AttributeError
			if !errors.As(err, &kind) || kind.Name != changed.Name || kind.Want != changed.Kind || kind.Have == kind.Want {
				t.Errorf("%s, among %d: %v", name, n, err)
			}
			mustBeOneLine(t, err, db.Path())
			mustEqualText(t, dumpOf(t, db, true), before)
			mustCheck(t, db)
		}
	}
	// Both kinds in one Delta.
	for _, n := range []int{0, 40} {
		var d Delta
		d.Add(withAttributes(60, "ham", count.Attribute{Name: "both", Kind: count.Real}))
		for i := range n {
			d.Add(sample(200+i, "ham"))
		}
		d.Add(withAttributes(61, "ham", count.Attribute{Name: "both", Kind: count.YesNo}))
		if _, err := db.Apply(&d); !errors.As(err, new(*count.AttributeError)) {
			t.Errorf("both kinds among %d: %v", n, err)
		}
		mustEqualText(t, dumpOf(t, db, true), before)
	}
	// Once nobody has it, it may be of another kind: even in one Delta.
	var d Delta
	d.Forget(withAttributes(0, "").ID)
	d.Add(withAttributes(1, "ham", count.Attribute{Name: "x", Kind: count.YesNo, Number: 1}))
	if _, err := db.Apply(&d); err != nil {
		t.Error(err)
	}
}

// A document that was never learned takes nothing, and -0 is 0.
func TestAttributesNotLearned(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 1000} {
		fast(t)
		shortTails(t)
		tune(t).manySteps = many
		db := open(t, tempDB(t), Options{Ledger: count.LedgerNone})
		one := withAttributes(0, "ham", realOf(math.Copysign(0, -1)), categoryOf("a"), uniformOf(math.Copysign(0, -1)), yesNoOf(1))
		two := withAttributes(1, "ham", realOf(2), categoryOf("b"), uniformOf(3), yesNoOf(0))
		add(t, db, documentCopy(one), documentCopy(two))
		before := dumpOf(t, db, true)
		for name, list := range map[string][]count.Attribute{
			"none":              nil,
			"fewer":             {realOf(2)},
			"another category":  {realOf(2), categoryOf("c"), uniformOf(3), yesNoOf(0)},
			"another uniform":   {realOf(2), categoryOf("b"), uniformOf(2), yesNoOf(0)},
			"another kind":      {{Name: "x", Kind: count.YesNo}, categoryOf("b"), uniformOf(3), yesNoOf(0)},
			"a real too large":  {realOf(2.5), categoryOf("b"), uniformOf(3), yesNoOf(0)},
			"an unknown name":   {realOf(2), categoryOf("b"), uniformOf(3), yesNoOf(0), {Name: "z", Kind: count.Real}},
			"the other's class": {realOf(1e-200), categoryOf("b"), uniformOf(3), yesNoOf(0)},
		} {
			// Of a class that has no such document, and as the last of its class.
			_, err := db.Apply(take(t, withAttributes(1, "ham", list...)))
			if !errors.Is(err, count.ErrNotLearned) {
				t.Errorf("%s: %v", name, err)
			}
			mustEqualText(t, dumpOf(t, db, true), before)
		}
		if _, err := db.Apply(take(t, two, one)); err != nil {
			t.Error(err)
		}
		mustEqualModel(t, db, &model{})
	}
}

// One request of several that share a transaction fails; the others are learned.
func TestAttributesGroupCommit(t *testing.T) {
	t.Parallel()
	fast(t)
	shortTails(t)
	db := open(t, tempDB(t), Options{Analyzer: "a"})
	m := &model{docs: map[count.DocID]count.Document{}}
	first := withAttributes(0, "ham", realOf(0.1), uniformOf(1), categoryOf("a"))
	m.docs[first.ID] = first
	add(t, db, documentCopy(first))
	var wg sync.WaitGroup
	for round := range 6 {
		db.commit.Lock()
		const n = 9
		errs := make([]error, n)
		for i := range n {
			good := withAttributes(10*round+i+1, "ham", realOf(wildReals[i]), uniformOf(float64(i)), categoryOf(fmt.Sprint("value", i%4)))
			var d Delta
			d.Add(documentCopy(good))
			if i%3 == 0 {
				// It changes much before it fails: the greatest value, a new
				// attribute, a new category, and what another one has.
				d.Add(withAttributes(1000+i, "spam", realOf(1e150), uniformOf(1e6), categoryOf("new"), count.Attribute{Name: "only here", Kind: count.YesNo}))
				d.Take(documentCopy(first))
				d.Add(withAttributes(2000+i, "ham", categoryOf("a"), count.Attribute{Name: "x", Kind: count.Category, Category: "no real"}))
			} else {
				m.docs[good.ID] = good
			}
			wg.Go(func() { _, errs[i] = db.Apply(&d) })
		}
		for waiting := 0; waiting < n; {
			db.queue.mu.Lock()
			waiting = len(db.queue.waiting)
			db.queue.mu.Unlock()
		}
		db.commit.Unlock()
		wg.Wait()
		for i, err := range errs {
			if errors.As(err, new(*count.AttributeError)) != (i%3 == 0) || (err != nil) != (i%3 == 0) {
				t.Errorf("request %d: %v", i, err)
			}
		}
		mustEqualModel(t, db, m)
		mustCheck(t, db)
	}
	if strings.Contains(dumpOf(t, db, true), "only here") {
		t.Error("an attribute of a document that was refused is counted")
	}
}

// A document that is refused for its attributes has changed nothing before: memory stays, and the
// next question does not read the file again.
func TestAttributesRefusedCheaply(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{Analyzer: "a"})
	add(t, db, withAttributes(1, "ham", realOf(1)), withAttributes(2, "ham", realOf(2)))
	before := db.memory
	var d Delta
	d.Add(withAttributes(3, "ham", categoryOf("a"), count.Attribute{Name: "x", Kind: count.Category, Category: "no real"}))
	if _, err := db.Apply(&d); !errors.As(err, new(*count.AttributeError)) || db.memory != before {
		t.Errorf("%v; memory is the same: %v", err, db.memory == before)
	}
	add(t, db, withAttributes(4, "ham", realOf(1)))
	mustCheck(t, db)
}

// What Snapshot tells is what the documents have.
func TestAttributesRead(t *testing.T) {
	t.Parallel()
	fast(t)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "polya")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		db, err := Open(filepath.Join(dir, "a.polya"), tuned(t, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		classes := []string{"a class without any", "b", "c", "d"}
		add(t, db, sample(0, classes[0]))
		docs := map[string][]count.Document{}
		for i := range rapid.IntRange(1, 30).Draw(t, "documents") {
			class := rapid.SampledFrom(classes[1:]).Draw(t, "class")
			d := withAttributes(i+1, class, uniformOf(rapid.SampledFrom([]float64{0, 0.5, 1, 1e-300, 7, 1e150}).Draw(t, "uniform")))
			if rapid.Bool().Draw(t, "more") {
				d.Attributes = append(d.Attributes, realOf(realNumber().Draw(t, "real")), categoryOf(rapid.SampledFrom([]string{"p", "q", "pq", "\xff\x00"}).Draw(t, "category")),
					yesNoOf(float64(rapid.IntRange(0, 1).Draw(t, "yes"))))
			}
			docs[class] = append(docs[class], d)
			add(t, db, documentCopy(d))
		}
		err = db.View(func(s *Snapshot) error {
			mustReadTotals(t, s, docs)
			mustReadValues(t, s, docs)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		mustCheck(t, db)
	})
}

func find(d count.Document, name string) *count.Attribute {
	for i := range d.Attributes {
		if d.Attributes[i].Name == name {
			return &d.Attributes[i]
		}
	}
	return nil
}

func mustReadTotals(t *rapid.T, s *Snapshot, docs map[string][]count.Document) {
	list, err := s.Attributes()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(list, func(a, b *count.AttributeTotals) int { return strings.Compare(a.Name, b.Name) }) {
		t.Fatal("attributes are not in order")
	}
	for _, total := range list {
		for k, class := range s.Classes() {
			n, yes, sum, numbers := uint64(0), uint64(0), new(big.Rat), []float64{0}
			for _, d := range docs[class.Name] {
				a := find(d, total.Name)
				if a == nil {
					continue
				}
				if n == 0 {
					numbers = nil
				}
				n++
				yes += uint64(map[count.Kind]float64{count.YesNo: a.Number}[a.Kind])
				if a.Kind == count.Real {
					sum.Add(sum, new(big.Rat).SetFloat64(a.Number))
				}
				numbers = append(numbers, a.Number)
			}
			c := total.Classes[k]
			if c.N != n || c.Yes != yes || ratOf(c.Sum).Cmp(sum) != 0 {
				t.Fatalf("%s of %s: %+v, want %d, %d, %v", total.Name, class.Name, c, n, yes, sum)
			}
			if total.Kind == count.Uniform && (c.Least != slices.Min(numbers) || c.Greatest != slices.Max(numbers)) {
				t.Fatalf("from %g to %g, want %v", c.Least, c.Greatest, numbers)
			}
		}
	}
}

func mustReadValues(t *rapid.T, s *Snapshot, docs map[string][]count.Document) {
	counts := make([]uint64, len(s.Classes()))
	for _, category := range []string{"p", "q", "pq", "\xff\x00", "unknown", ""} {
		any := false
		found, err := s.CategoryCounts("c", category, counts)
		if err != nil {
			t.Fatal(err)
		}
		for k, class := range s.Classes() {
			n := uint64(0)
			for _, d := range docs[class.Name] {
				if a := find(d, "c"); a != nil && a.Category == category {
					n++
				}
			}
			if any = any || n > 0; counts[k] != n {
				t.Fatalf("%d documents of %s with %q, want %d", counts[k], class.Name, category, n)
			}
		}
		if found != any {
			t.Fatalf("%q found: %v", category, found)
		}
	}
	total, distinct, last := uint64(0), uint64(0), -1.0
	err := s.EachValue("u", func(a *count.Attribute, counts []uint64) error {
		if a.Number <= last {
			t.Fatal("values are not in order")
		}
		last, distinct = a.Number, distinct+1
		for _, n := range counts {
			total += n
		}
		return nil
	})
	n, values := uint64(0), uint64(0)
	for _, list := range docs {
		n += uint64(len(list))
	}
	all, _ := s.Attributes()
	for _, a := range all {
		if a.Name == "u" {
			values = a.Values
		}
	}
	if err != nil || total != n || distinct != values {
		t.Fatalf("%d values of %d documents, want %d of %d: %v", distinct, total, values, n, err)
	}
	stop := errors.New("stop")
	if err := s.EachValue("u", func(*count.Attribute, []uint64) error { return stop }); err != stop {
		t.Fatal(err)
	}
	for k, class := range s.Classes() {
		list := docs[class.Name]
		for i, left := range list {
			want, ok := 0.0, false
			for j, d := range list {
				if j != i {
					want, ok = max(want, find(d, "u").Number), true
				}
			}
			got, gotOK, err := s.GreatestWithout("u", k, find(left, "u").Number)
			if err != nil || got != want || gotOK != ok {
				t.Fatalf("the greatest of %s without %g is %v, %v, %v, want %v, %v", class.Name, find(left, "u").Number, got, gotOK, err, want, ok)
			}
		}
		if len(list) == 0 {
			if _, ok, err := s.GreatestWithout("u", k, 1); ok || err != nil {
				t.Fatal(ok, err)
			}
		}
	}
}

// A database is marked when the first document with an attribute is learned, and
// by no refused or forgotten one.
func TestAttributesFlag(t *testing.T) {
	t.Parallel()
	fast(t)
	flags := func(db *DB) (f uint32, buckets int) {
		err := db.file.View(func(tx *bolt.Tx) error {
			h, err := layout.Tx{Tx: tx}.Header()
			f = h.Flags
			for _, name := range stored.AttributeBuckets {
				if tx.Bucket(name) != nil {
					buckets++
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return f, buckets
	}
	db := open(t, tempDB(t), Options{Analyzer: "a"})
	add(t, db, plain(1, "ham"))
	var d Delta
	d.Add(withAttributes(2, "ham", realOf(1)))
	d.Add(withAttributes(3, "ham", count.Attribute{Name: "x", Kind: count.YesNo}))
	if _, err := db.Apply(&d); err == nil {
		t.Error("no error")
	}
	if err := db.DeleteClass(context.Background(), "ham"); err != nil {
		t.Fatal(err)
	}
	if f, n := flags(db); f != 0 || n != 0 {
		t.Errorf("without attributes: flags %x, %d buckets", f, n)
	}
	add(t, db, withAttributes(2, "ham", realOf(1)))
	if f, n := flags(db); f != stored.FlagAttributes || n != 2 {
		t.Errorf("with attributes: flags %x, %d buckets", f, n)
	}
	for name, by := range map[string]func(*DB) error{
		"load": func(to *DB) error {
			_, err := to.Load(context.Background(), false, strings.NewReader(dumpOf(t, db, false)))
			return err
		},
		"merge": func(to *DB) error { _, err := to.Merge(context.Background(), MergeOptions{}, db); return err },
	} {
		to := open(t, tempDB(t), Options{Analyzer: "a"})
		if err := by(to); err != nil {
			t.Fatal(name, err)
		}
		if f, _ := flags(to); f != stored.FlagAttributes {
			t.Errorf("after %s: flags %x", name, f)
		}
	}
	// A record of the log is enough, though nothing is left to count.
	there := open(t, tempDB(t), Options{Analyzer: "a"})
	d = Delta{Keep: d.Keep, OnlyNew: d.OnlyNew}
	d.Add(withAttributes(2, "ham", realOf(1)))
	d.Forget(withAttributes(2, "").ID)
	if _, err := there.Apply(&d); err != nil {
		t.Fatal(err)
	}
	if f, _ := flags(there); f != stored.FlagAttributes {
		t.Errorf("with attributes in the log: flags %x", f)
	}
}

// Damaged rows are found, and read as errors; nobody panics.
func TestAttributesDamaged(t *testing.T) {
	t.Parallel()
	fast(t)
	name := []byte("u")
	three := uniformOf(3)
	key := []byte(attributes.ValueKey("u", attributes.ValueBytes(&three)))
	cells := func(kind count.Kind, values uint64, list ...attributes.Cell) []byte {
		return (&attributes.Row{Kind: kind, Values: values, Cells: list}).Append(nil)
	}
	whole := attributes.Cell{Class: 1, AttributeCell: count.AttributeCell{N: 2, Least: 1, Greatest: 3}}
	with := func(change func(*attributes.Cell)) attributes.Cell { c := whole; change(&c); return c }
	for what, damage := range map[string]func(attributes, values *bolt.Bucket) error{
		"a flipped bit": func(a, _ *bolt.Bucket) error {
			v := slices.Clone(a.Get(name))
			v[3] ^= 1
			return a.Put(name, v)
		},
		"no row":           func(a, _ *bolt.Bucket) error { return a.Delete(name) },
		"no row of a real": func(a, _ *bolt.Bucket) error { return a.Delete([]byte("x")) },
		"no value":         func(_, v *bolt.Bucket) error { return v.Delete(key) },
		"empty":            func(a, _ *bolt.Bucket) error { return putRaw(a, name, nil) },
		"unknown kind":     func(a, _ *bolt.Bucket) error { return putRaw(a, name, cells(9, 2, whole)) },
		"another kind":     func(a, _ *bolt.Bucket) error { return putRaw(a, name, cells(count.Category, 2, whole)) },
		"fewer values":     func(a, _ *bolt.Bucket) error { return putRaw(a, name, cells(count.Uniform, 1, whole)) },
		"no such class": func(a, _ *bolt.Bucket) error {
			return putRaw(a, name, cells(count.Uniform, 2, with(func(c *attributes.Cell) { c.Class = 7 })))
		},
		"too many": func(a, _ *bolt.Bucket) error {
			return putRaw(a, name, cells(count.Uniform, 2, with(func(c *attributes.Cell) { c.N = 3 })))
		},
		"too few": func(a, _ *bolt.Bucket) error {
			return putRaw(a, name, cells(count.Uniform, 2, with(func(c *attributes.Cell) { c.N = 1 })))
		},
		"the least": func(a, _ *bolt.Bucket) error {
			return putRaw(a, name, cells(count.Uniform, 2, with(func(c *attributes.Cell) { c.Least = 0 })))
		},
		"the greatest": func(a, _ *bolt.Bucket) error {
			return putRaw(a, name, cells(count.Uniform, 2, with(func(c *attributes.Cell) { c.Greatest = 4 })))
		},
		"a value of another class": func(_, v *bolt.Bucket) error {
			return putRaw(v, key, valueRow(7))
		},
		"a value that is none": func(_, v *bolt.Bucket) error {
			return putRaw(v, []byte(attributes.ValueKey("u", "short")), valueRow(1))
		},
		"a value of nothing": func(_, v *bolt.Bucket) error {
			return putRaw(v, []byte(attributes.ValueKey("nothing", "x")), valueRow(1))
		},
		"a key that is none": func(_, v *bolt.Bucket) error {
			return putRaw(v, []byte{200, 1}, valueRow(1))
		},
		"a damaged value": func(_, v *bolt.Bucket) error { return v.Put(key, []byte{1, 2, 3, 4, 5}) },
		"sums of no numbers": func(a, _ *bolt.Bucket) error {
			return putRaw(a, []byte("x"), cells(count.Real, 0, attributes.Cell{Class: 1, AttributeCell: count.AttributeCell{N: 2, Sum: count.ExactOf(4), Squares: count.ExactOf(7)}}))
		},
		"another sum": func(a, _ *bolt.Bucket) error {
			return putRaw(a, []byte("x"), cells(count.Real, 0, attributes.Cell{Class: 1, AttributeCell: count.AttributeCell{N: 2, Sum: count.ExactOf(2), Squares: count.ExactOf(7)}}))
		},
	} {
		t.Run(what, func(t *testing.T) {
			path := tempDB(t)
			db, err := Open(path, tuned(t, Options{}))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { db.Close() }()
			add(t, db, withAttributes(1, "ham", uniformOf(1), realOf(1)), withAttributes(2, "ham", uniformOf(3), realOf(2)))
			err = db.file.Update(&db.mu, false, func(tx *bolt.Tx) (func(), error) {
				return nil, damage(tx.Bucket(stored.BucketAttribute), tx.Bucket(stored.BucketValue))
			})
			if err != nil {
				t.Fatal(err)
			}
			problems := 0
			if _, err := db.Check(context.Background(), func(p error) { problems++ }); err != nil || problems == 0 {
				t.Errorf("check finds %d problems, %v", problems, err)
			}
			db.View(func(s *Snapshot) error {
				s.Attributes()
				s.EachValue("u", func(*count.Attribute, []uint64) error { return nil })
				s.GreatestWithout("u", 0, 3)
				s.delta(context.Background())
				return nil
			})
			db.Dump(context.Background(), new(strings.Builder), true)
			db.Apply(take(t, withAttributes(2, "ham", uniformOf(3), realOf(2))))
			db.DeleteClass(context.Background(), "ham")
		})
	}
}

// valueRow is the row of a value that one document of a class has.
func valueRow(class uint32) []byte {
	row := attributes.Row{Cells: []attributes.Cell{{Class: class, AttributeCell: count.AttributeCell{N: 1}}}}
	return row.Append(nil)
}

func putRaw(b *bolt.Bucket, key, row []byte) error { return b.Put(key, wire.AppendCRC(row, key)) }

// ratOf is a as a rational number.
func ratOf(a count.Exact) *big.Rat {
	r := new(big.Rat)
	m, e := a.Parts()
	if m == nil {
		return r
	}
	two := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if r.SetInt(m); e < 0 {
		return r.Quo(r, two)
	}
	return r.Mul(r, two)
}

// realNumber draws numbers of all sizes that can be the value of a Real: subnormal
// ones, whole ones, ones of 17 digits.
func realNumber() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-count.MaxReal, count.MaxReal),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-300, -1e-300, 5e-324, 1e150, -1e150, count.MaxReal, -count.MaxReal, 1<<53 + 2, 0.30000000000000004, 2.2250738585072014e-308, 12345678901234567}),
		rapid.Map(rapid.IntRange(-5, 5), func(n int) float64 { return float64(n) / 4 }),
	)
}

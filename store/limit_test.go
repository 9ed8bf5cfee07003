package store

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/encoded"
)

// manyDump is a dump of one class with n documents of one token, all of which have
// an attribute of each kind: the real x is 2^500, the category v, the uniform 0.
func manyDump(n uint64) string {
	sum := func(power int) string { return count.NewExact(new(big.Int).SetUint64(n), power).String() }
	return endDump(fmt.Sprintf("polya-dump\t%s\nanalyzer\ta\nvocabulary\t1\nclass\tham\t%d\t%d\t7\nlengths\t1:%d\nterm\tt\t0=7,%d\n", dump.Version, n, n, n, n) +
		fmt.Sprintf("attribute\tc\tcategory\t0=%d\nvalue\tv\t0=%d\nattribute\tu\tuniform\t0=%d\nvalue\t0\t0=%d\n", n, n, n, n) +
		fmt.Sprintf("attribute\tx\treal\t0=%d,%s,%s\nattribute\ty\tyesno\t0=%d,1\n", n, sum(500), sum(1000), n))
}

func load(db *DB, text string) error {
	_, err := db.Load(context.Background(), true, strings.NewReader(text))
	return err
}

// mustRefuseChange wants f to fail in one line that wraps want, and to change
// nothing; what db holds can still be checked, dumped and loaded.
func mustRefuseChange(t *testing.T, what string, db *DB, want error, f func() error) {
	t.Helper()
	before := dumpOf(t, db, true)
	err := f()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
		return
	}
	mustBeOneLine(t, err, db.Path())
	mustEqualText(t, dumpOf(t, db, true), before)
	mustCheck(t, db)
	again := open(t, tempDB(t), Options{Analyzer: db.Analyzer()})
	if err := load(again, before); err != nil {
		t.Errorf("%s: the dump cannot be loaded: %v", what, err)
	}
}

// The counts of a class have 32 bits, whichever way they grow: what would pass them
// is refused before it is written.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	const most = 1<<32 - 1
	for _, many := range []int{1, 1000} {
		fast(t)
		shortTails(t)
		tune(t).manySteps = many
		full := open(t, tempDB(t), Options{Analyzer: "a"})
		if err := load(full, manyDump(most)); err != nil {
			t.Fatal(err)
		}
		one := open(t, tempDB(t), Options{Analyzer: "a", Ledger: count.LedgerNone})
		add(t, one, withAttributes(1, "ham", realOf(1)))
		apply := func(docs ...count.Document) func() error {
			return func() error {
				var d Delta
				for _, doc := range docs {
					d.Add(doc)
				}
				_, err := full.Apply(&d)
				return err
			}
		}
		mustRefuseChange(t, "a dump", one, count.ErrInvalid, func() error { return load(one, manyDump(most)) })
		mustRefuseChange(t, "a second dump", full, count.ErrInvalid, func() error { return load(full, manyDump(1)) })
		mustRefuseChange(t, "a document", full, count.ErrInvalid, apply(withAttributes(1, "ham", realOf(1))))
		mustRefuseChange(t, "two documents", full, count.ErrInvalid, apply(withAttributes(1, "spam"), withAttributes(2, "ham")))
		mustRefuseChange(t, "a merge", full, count.ErrInvalid, func() error {
			_, err := full.Merge(context.Background(), MergeOptions{}, one)
			return err
		})
		mustRefuseChange(t, "a merge of many", one, count.ErrInvalid, func() error {
			_, err := one.Merge(context.Background(), MergeOptions{}, full)
			return err
		})
		mustRefuseChange(t, "a Delta twice", one, count.ErrInvalid, func() error {
			d := deltaOf(t, full)
			d.Merge(d)
			_, err := one.Apply(d)
			return err
		})
		// There is room again when a document has gone, and in other classes.
		if _, err := full.Apply(take(t, withAttributes(1, "ham", realOf(count.MaxReal), categoryOf("v"), uniformOf(0), yesNoOf(1)))); err == nil {
			t.Error("a document of another term was taken away")
		}
		add(t, full, withAttributes(3, "spam", realOf(1)))
	}
}

// A number of a dump has 62 bits.
func TestManyTokens(t *testing.T) {
	t.Parallel()
	fast(t)
	const long, docs = count.MaxTokens, 1 << 30 // about 2^61 tokens
	text := endDump(fmt.Sprintf("polya-dump\t%s\nanalyzer\ta\nvocabulary\t0\nclass\tham\t%d\t%d\t1\nlengths\t%d:%d\ndropped\t%d\t1\n", dump.Version, docs, uint64(long*docs), long, docs, uint64(long*docs)))
	db := open(t, tempDB(t), Options{Analyzer: "a"})
	for range 2 {
		if err := load(db, text); err != nil {
			t.Fatal(err)
		}
	}
	mustRefuseChange(t, "a third", db, count.ErrInvalid, func() error { return load(db, text) })

	d := document(1, "ham", nil)
	d.Dropped = []count.Pair{{N: 255, Count: encoded.MaxDropped}}
	if err := new(Delta).Add(d); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("a document of %d tokens, which no dump can list: %v", uint64(255*encoded.MaxDropped), err)
	}
	d.Dropped[0].Count = count.MaxTokens / 255
	if err := new(Delta).Add(d); err != nil {
		t.Error(err)
	}
}

// What is counted of attributes is bounded by itself too.
func TestManyInAttributeRows(t *testing.T) {
	t.Parallel()
	attribute := attributes.Row{Kind: count.YesNo, Cells: []attributes.Cell{{AttributeCell: count.AttributeCell{N: count.MaxDocs}}}}
	before := fmt.Sprint(attribute)
	for _, n := range []uint64{1, count.MaxDocs, 1<<64 - 1} {
		if err := attribute.Add(count.YesNo, 0, &count.AttributeCell{N: n}, 1); !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%d documents with an attribute: %v", n, err)
		}
		if err := attribute.AddValue(&attributes.Row{Cells: []attributes.Cell{{AttributeCell: count.AttributeCell{N: count.MaxDocs}}}}, 0, n, 1); !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%d documents with a value: %v", n, err)
		}
	}
	if after := fmt.Sprint(attribute); after != before {
		t.Errorf("%s, it was %s", after, before)
	}
}

// A line of nothing but tabs is refused before each of its empty fields has been
// looked at, let alone kept.
func TestLoadManyFields(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	text := strings.Repeat("\t", dump.MaxFields) + "\n"
	if _, err := db.Load(t.Context(), false, strings.NewReader(text)); !errors.Is(err, count.ErrInvalid) || !strings.Contains(err.Error(), "fields") {
		t.Errorf("%.200v", err)
	}
}

// The terms of a dump are in order, the longest too.
func TestLongestTerms(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("t", count.MaxTermBytes-1)
	db := open(t, tempDB(t), Options{})
	add(t, db, document(1, "ham", map[string]int{long + "b": 1, long + "a": 2, long: 3, "z": 1, "t": 1}))
	text := dumpOf(t, db, true)
	var terms []string
	for line := range strings.Lines(text) {
		if fields := strings.Split(line, "\t"); fields[0] == "term" {
			terms = append(terms, fields[1])
		}
	}
	if want := []string{"t", long, long + "a", long + "b", "z"}; !slices.Equal(terms, want) {
		t.Errorf("%q, want %q", terms, want)
	}
	other := open(t, tempDB(t), Options{})
	if err := load(other, text); err != nil || dumpOf(t, other, true) != text {
		t.Errorf("the dump is another when it was loaded, %v", err)
	}
}

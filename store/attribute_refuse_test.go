package store

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
)

// An encoded document with attributes has one form; any other is refused.
func TestAttributesOneEncoding(t *testing.T) {
	t.Parallel()
	d := withAttributes(1, "ham")
	raw, err := encoded.Encode(&d)
	if err != nil {
		t.Fatal(err)
	}
	with := func(parts ...string) []byte { return append([]byte(nil), string(raw.Raw)+strings.Join(parts, "")...) }
	yes, real := "\x01y\x02\x01", "\x01x\x03"+strings.Repeat("\x00", 8)
	for name, data := range map[string][]byte{
		"no dropped terms, nothing after":  with("\x00"),
		"no attributes":                    with("\x00\x00"),
		"fewer than announced":             with("\x00\x02", yes),
		"more than a document has":         with("\x00\x81\x20", yes),
		"a long number of them":            with("\x00\x81\x00", yes),
		"without a part for dropped terms": with("\x01", yes),
		"out of order":                     with("\x00\x02", yes, real),
		"twice":                            with("\x00\x02", yes, yes),
		"yes above 1":                      with("\x00\x01\x01y\x02\x02"),
		"kind 0":                           with("\x00\x01\x01y\x00\x01"),
		"kind 5":                           with("\x00\x01\x01y\x05", strings.Repeat("\x00", 8)),
		"no name":                          with("\x00\x01\x00\x02\x01"),
		"no category":                      with("\x00\x01\x01c\x01\x00"),
		"minus 0":                          with("\x00\x01\x01x\x03\x00\x00\x00\x00\x00\x00\x00\x80"),
		"not a number":                     with("\x00\x01\x01x\x03\x01\x00\x00\x00\x00\x00\xf0\x7f"),
		"infinite":                         with("\x00\x01\x01x\x03\x00\x00\x00\x00\x00\x00\xf0\x7f"),
		"a negative uniform":               with("\x00\x01\x01x\x04\x00\x00\x00\x00\x00\x00\xf0\xbf"),
		"cut short":                        with("\x00\x01\x01x\x03\x00"),
	} {
		if b, rest, err := encoded.Parse(data); err == nil && len(rest) == 0 {
			t.Errorf("%s: read as %+v", name, b.Attributes)
		}
	}
	b, rest, err := encoded.Parse(with("\x00\x02", real, yes))
	if err != nil || len(rest) != 0 || len(b.Attributes) != 2 {
		t.Errorf("%+v, %v", b.Attributes, err)
	}
}

// A dump whose attributes no documents give, or not those that it lists, is refused.
func TestAttributesLoadRefused(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{Analyzer: "a"})
	add(t, db, sample(0, "ham"), withAttributes(1, "ham", yesNoOf(1), realOf(2), categoryOf("v"), uniformOf(3)),
		withAttributes(2, "ham", uniformOf(4)), withAttributes(3, "spam", uniformOf(4)))
	for _, ledger := range []bool{false, true} {
		text := dumpBody(dumpOf(t, db, ledger))
		load := func(text string) error {
			to := open(t, tempDB(t), Options{Analyzer: "a"})
			empty := dumpOf(t, to, true)
			_, err := to.Load(context.Background(), false, strings.NewReader(endDump(text)))
			if err != nil {
				mustBeOneLine(t, err, to.Path())
				mustEqualText(t, dumpOf(t, to, true), empty)
			}
			return err
		}
		if err := load(text); err != nil {
			t.Fatal(err)
		}
		for _, change := range []struct{ from, to string }{
			{"yesno\t0=1,1", "yesno\t0=4,1"},                                           // more than the class has
			{"yesno\t0=1,1", "yesno\t0=1,2"},                                           // more yes than documents
			{"yesno\t0=1,1", "yesno\t0=0,0"},                                           // none
			{"yesno\t0=1,1", "yesno\t2=1,1"},                                           // no such class
			{"yesno\t0=1,1", "yesno"},                                                  // no counts
			{"yesno\t0=1,1", "maybe\t0=1,1"},                                           // no such kind
			{"real\t0=1,1p1,1p2", "real\t0=1,1p1,3p2"},                                 // squares of another number
			{"real\t0=1,1p1,1p2", "real\t0=1,2p0,1p2"},                                 // an even mantissa
			{"real\t0=1,1p1,1p2", "real\t0=1,1p1,-1p2"},                                // negative squares
			{"real\t0=1,1p1,1p2", "real\t0=1,1p800,1p1600"},                            // of a number too large
			{"category\t0=1", "category\t0=2"},                                         // more than the values
			{"value\tv\t0=1", "value\tv\t0=2"},                                         // more values than documents
			{"value\tv\t0=1\n", ""},                                                    // no value
			{"value\tv\t0=1", "value\t\t0=1"},                                          // an empty one
			{"value\tv\t0=1", "value\tv\t1=1"},                                         // of a class without
			{"value\t3\t0=1\nvalue\t4\t0=1\t1=1", "value\t4\t0=1\t1=1\nvalue\t3\t0=1"}, // out of order
			{"value\t3\t", "value\t3.0\t"},
			{"value\t3\t", "value\t-3\t"},
			{"value\t3\t", "value\tNaN\t"},
			{"attribute\tx\t", "attribute\tc\t"}, // twice
			{"attribute\tx\t", "attribute\t\t"},
		} {
			if !strings.Contains(text, change.from) {
				t.Fatalf("the dump has no %q:\n%s", change.from, text)
			}
			if err := load(strings.Replace(text, change.from, change.to, 1)); !errors.Is(err, count.ErrInvalid) {
				t.Errorf("%q for %q: %v", change.to, change.from, err)
			}
		}
		if !ledger {
			continue
		}
		for _, change := range []struct{ from, to string }{
			{"yesno\t0=1,1", "yesno\t0=2,1"},           // of more than all documents listed
			{"attribute\ty\tyesno\t0=1,1\n", ""},       // what one of them has
			{"real\t0=1,1p1,1p2", "real\t0=1,3p1,9p2"}, // another number than listed
			{"@yesno\ty\tyes", "@yesno\ty\tno"},
			{"@yesno\ty\tyes", "@yesno\ty\tYes"},
			{"@yesno\ty\tyes", "@yesno\ty"},
			{"@yesno\ty\tyes", "@kind\ty\tyes"},
			{"\t@yesno\ty\tyes", ""},
			{"@real\tx\t2", "@real\tx\t2.0"},
			{"@real\tx\t2", "@real\tx\tInf"},
			{"@real\tx\t2", "@real\tx\t1e400"},
		} {
			if !strings.Contains(text, change.from) {
				t.Fatalf("the dump has no %q:\n%s", change.from, text)
			}
			if err := load(strings.Replace(text, change.from, change.to, 1)); !errors.Is(err, count.ErrInvalid) {
				t.Errorf("%q for %q: %v", change.to, change.from, err)
			}
		}
	}
}

// The greatest and the least value are found again after they were forgotten, with
// other attributes on both sides.
func TestAttributesReachAgain(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 1000} {
		fast(t)
		shortTails(t)
		tune(t).manySteps = many
		db := open(t, tempDB(t), Options{Analyzer: "a"})
		m := &model{docs: map[count.DocID]count.Document{}}
		var docs []count.Document
		for i, x := range []float64{2, 1, 4, 3, 3, 8, 0} {
			three := []count.Attribute{}
			for _, name := range []string{"t", "u", "v"} {
				three = append(three, count.Attribute{Name: name, Kind: count.Uniform, Number: x})
			}
			docs = append(docs, withAttributes(i, []string{"ham", "spam"}[i%2], three...))
			m.docs[docs[i].ID] = docs[i]
		}
		add(t, db, docs...)
		for _, i := range []int{2, 5, 0, 6, 1} {
			if _, err := db.Apply(take(t, docs[i])); err != nil {
				t.Fatal(err)
			}
			delete(m.docs, docs[i].ID)
			mustEqualModel(t, db, m)
			mustCheck(t, db)
		}
	}
}

// A sum that no documents give is refused.
func TestAttributesSumRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(list []attributes.Attribute) []attributes.Attribute{
		"nothing":        func(l []attributes.Attribute) []attributes.Attribute { return l },
		"out of order":   func(l []attributes.Attribute) []attributes.Attribute { l[0], l[1] = l[1], l[0]; return l },
		"twice":          func(l []attributes.Attribute) []attributes.Attribute { l[1] = l[0]; return l },
		"a bad name":     func(l []attributes.Attribute) []attributes.Attribute { l[0].Name = "\x01"; return l },
		"more than docs": func(l []attributes.Attribute) []attributes.Attribute { l[2].Row.Cells[0].N = 9; return l },
		"no such class":  func(l []attributes.Attribute) []attributes.Attribute { l[2].Row.Cells[0].Class = 9; return l },
		"another least":  func(l []attributes.Attribute) []attributes.Attribute { l[1].Row.Cells[0].Least = 1; return l },
		"values twice":   func(l []attributes.Attribute) []attributes.Attribute { l[0].Values[1] = l[0].Values[0]; return l },
		"values out of order": func(l []attributes.Attribute) []attributes.Attribute {
			v := l[0].Values
			v[0], v[1] = v[1], v[0]
			return l
		},
	} {
		d := deltaOf(t, attributeDB(t))
		d.sums[0].Attributes = change(d.sums[0].Attributes)
		if err := d.sums[0].Check(); (err == nil) != (name == "nothing") || err != nil && !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

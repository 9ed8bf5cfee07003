package store

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// example is the document of FORMAT.md's worked example: "run kick ball run" as
// sports, learned on 2001-09-09 from the source "book".
func example() ([]byte, encoded.Document) {
	doc := count.Document{
		ID:     count.DocID{0: 0x10, 15: 0x1f},
		Time:   time.Unix(1_000_000_000, 0),
		Source: "book",
		Terms:  []count.TermCount{{Term: []byte("run"), N: 2}, {Term: []byte("kick"), N: 1}, {Term: []byte("ball"), N: 1}},
	}
	b, _ := encoded.Encode(&doc)
	return b.Raw, *b
}

// FORMAT.md is of the version that the code writes, wherever it says one.
func TestFormatVersions(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# The file format, version %d\n", "\n| version | u16 **big-endian** | %d |\n", "\nThe version is %d. "} {
		if want = fmt.Sprintf(want, FormatVersion); strings.Count(string(page), want) != 1 {
			t.Errorf("FORMAT.md does not have once: %q", want)
		}
	}
}

// The bytes that FORMAT.md shows are those that the code writes.
func TestFormatExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	raw, b := example()
	doc := b.Decode("")
	w, weight := doc.Weights()
	rec := stored.Record{Seq: 1, Op: stored.OpTrain, Keep: count.LedgerFull, Class: 1, Fresh: 3, Weight: weight, Moves: wire.AppendPairs(nil, []count.Pair{{N: 0, Count: 3}}), Doc: b}
	key := table.Key{}
	for i := range key {
		key[i] = byte(i)
	}
	h := stored.Header{Version: FormatVersion, Key: key, Ledger: count.LedgerFull}
	row := table.AppendRow(nil, []table.Cell{{Class: 1, DF: 1, TF: 2, W: w[2], U: []uint32{1, 1}}})
	var build table.Builder
	build.Add(key.Hash([]byte("run")), []byte("run"), row)
	class := count.Class{ID: 1, Docs: 1, Tokens: 4, Weight: weight, Terms: 3, Lengths: []count.Pair{{N: 4, Count: 1}}, Frequencies: []count.Pair{{N: 1, Count: 3}}}
	var delta Delta
	delta.steps = []step{documentStep(stepAdd, "sports", &b)}
	wire, _ := delta.MarshalBinary()
	left, _ := b.Split(func(term []byte, _ uint8) (bool, error) { return string(term) != "ball", nil })
	prunedClass := count.Class{ID: 1, Docs: 1, Tokens: 4, Weight: weight, Terms: 2, Lengths: []count.Pair{{N: 4, Count: 1}}, Frequencies: []count.Pair{{N: 1, Count: 2}}, Dropped: 1, DroppedWeight: w[1]}
	examples := map[string][]byte{
		"pruned record":       (&stored.Record{Seq: 1, Op: stored.OpTrain, Keep: count.LedgerFull, Class: 1, Doc: *left}).Encode(),
		"pruned class totals": stored.EncodeClass(&prunedClass, stored.ClassKey(1)),
		"pruned corpus":       (&stored.Corpus{Merged: 1, Seq: 1, Vocabulary: 2, Epoch: 1}).Encode(),
		"row of epoch 1":      table.AppendRow(table.AppendEpoch(nil, 1), []table.Cell{{Class: 1, DF: 1, TF: 2, W: w[2], U: []uint32{1, 1}}}),
		"digest of epoch 1":   (&stored.Entry{Keep: count.LedgerDigest, Class: 1, Time: 1_000_000_000, Source: []byte("book"), Digest: b.Digest(), Epoch: 1}).Encode(b.ID),
		"header":              h.Encode(),
		"document":            raw,
		"packed document":     b.AppendPacked(nil),
		"record":              rec.Encode(),
		"row":                 row,
		"table":               build.Finish(1),
		"row of four classes": table.AppendRow(nil, []table.Cell{
			{Class: 1, DF: 1, TF: 2, W: w[2], U: []uint32{1, 1}},
			{Class: 2, DF: 1, TF: 1, W: 40000, U: []uint32{1}},
			{Class: 3, DF: 2, TF: 5, W: 90000, U: []uint32{2, 2, 1}},
			{Class: 7, DF: 1, TF: 1, W: 30000, U: []uint32{1}},
		}),
		"class totals": stored.EncodeClass(&class, stored.ClassKey(1)),
		"corpus":       (&stored.Corpus{Merged: 1, Seq: 1, Vocabulary: 3}).Encode(),
		"ledger entry": (&stored.Entry{Keep: count.LedgerFull, Class: 1, Seq: 1}).Encode(b.ID),
		"delta":        wire,
	}
	maps.Copy(examples, attributeExamples(t))
	for name, data := range examples {
		want := ""
		for i, c := range data {
			if i > 0 {
				want += " "
			}
			want += fmt.Sprintf("%02x", c)
		}
		if !strings.Contains(text, want) {
			t.Errorf("FORMAT.md does not show the %s:\n%s", name, want)
		}
	}
	hash := fmt.Sprintf("%016x", key.Hash([]byte("run")))
	if !strings.Contains(text, hash) {
		t.Errorf("FORMAT.md does not show the hash %s", hash)
	}
}

// attributeExamples are the bytes of the example with attributes: the end of the
// document, and the rows as a database has them that learned it.
func attributeExamples(t *testing.T) map[string][]byte {
	fast(t)
	raw, b := example()
	doc := b.Decode("sports")
	doc.Attributes = []count.Attribute{
		{Name: "size", Kind: count.Real, Number: 1.5},
		{Name: "day", Kind: count.Category, Category: "mon"},
		{Name: "spam?", Kind: count.YesNo, Number: 1},
		{Name: "hour", Kind: count.Uniform, Number: 9},
	}
	with, err := encoded.Encode(&doc)
	if err != nil || string(with.Raw[:len(raw)]) != string(raw) {
		t.Fatalf("%x does not begin with %x: %v", with, raw, err)
	}
	db := open(t, tempDB(t), Options{})
	add(t, db, doc)
	examples := map[string][]byte{"attributes of a document": with.Raw[len(raw):]}
	db.file.View(func(tx *bolt.Tx) error {
		for _, name := range []string{"day", "spam?", "size", "hour"} {
			examples["attribute "+name] = slices.Clone(tx.Bucket(stored.BucketAttribute).Get([]byte(name)))
		}
		examples["value mon"] = slices.Clone(tx.Bucket(stored.BucketValue).Get([]byte("\x03daymon")))
		return nil
	})
	return examples
}

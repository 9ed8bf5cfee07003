package store

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// A database of tags has sets of tags alone, and one of classes no long name; counts of one
// kind do not come into the other.
func TestTagsAndClasses(t *testing.T) {
	t.Parallel()
	long, err := count.TagSet(strings.Repeat("a", 200), strings.Repeat("b", 200))
	if err != nil {
		t.Fatal(err)
	}
	tags := open(t, tempDB(t), Options{Tags: true})
	classes := open(t, tempDB(t), Options{})
	for i, class := range []string{",", ",family,travel", long} {
		add(t, tags, plain(i+1, class))
	}
	add(t, classes, plain(9, "ham"))
	put := func(db *DB, class string) error {
		var d Delta
		if err := d.Add(plain(7, class)); err != nil {
			return err
		}
		_, err := db.Apply(&d)
		return err
	}
	for what, err := range map[string]error{
		"class among tags":       put(tags, "ham"),
		"set that is not one":    put(tags, ",b,a"),
		"long class":             put(classes, long),
		"rename to a class":      tags.RenameClass(",", "ham"),
		"rename to a long class": classes.RenameClass("ham", long),
	} {
		if !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, merged := classes.Merge(t.Context(), MergeOptions{}, tags)
	_, loaded := tags.Load(t.Context(), false, strings.NewReader(dumpOf(t, classes, true)))
	_, back := classes.Load(t.Context(), false, strings.NewReader(dumpOf(t, tags, false)))
	for _, err := range []error{merged, loaded, back} {
		if !errors.Is(err, errTags) {
			t.Error(err)
		}
	}
	if !strings.HasPrefix(dumpOf(t, tags, false), "polya-dump\t1\ttags\n") || !strings.HasPrefix(dumpOf(t, classes, false), "polya-dump\t1\nanalyzer") {
		t.Error("dumps begin otherwise")
	}
	into := open(t, tempDB(t), Options{Tags: true})
	if _, err := into.Load(t.Context(), false, strings.NewReader(dumpOf(t, tags, true))); err != nil || dumpOf(t, into, true) != dumpOf(t, tags, true) {
		t.Errorf("loaded: %v", err)
	}
	of := strings.Replace(dumpBody(dumpOf(t, classes, true)), "\n", "\tothers\n", 1)
	if _, err := open(t, tempDB(t), Options{}).Load(t.Context(), false, strings.NewReader(endDump(of))); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("a dump of neither classes nor tags: %v", err)
	}
	if classes.Tags() || !tags.Tags() {
		t.Error("Tags")
	}
}

// onlyNew is Add with OnlyNew.
func onlyNew(d *Delta, doc count.Document) error {
	d.OnlyNew = true
	defer func() { d.OnlyNew = false }()
	return d.Add(doc)
}

// OnlyNew learns what the ledger does not know, alone or among many, and else changes nothing.
func TestOnlyNew(t *testing.T) {
	t.Parallel()
	for _, many := range []int{0, 400} {
		db := open(t, tempDB(t), Options{Tags: true})
		add(t, db, plain(1, ",travel"))
		before := dumpOf(t, db, true)
		var d Delta
		onlyNew(&d, plain(1, ","))
		for i := range many {
			doc := plain(i, ",")
			doc.ID[5], doc.ID[6] = 1, byte(i>>8)
			onlyNew(&d, doc)
		}
		a, err := db.Apply(&d)
		if err != nil || a.Already != 1 || a.Learned != many || a.Moved != 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		if many == 0 && dumpOf(t, db, true) != before {
			t.Error("a document that is known changed something")
		}
		// As it is sent to another database.
		data, err := d.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var sent Delta
		if err := sent.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		other := open(t, tempDB(t), Options{Tags: true})
		add(t, other, plain(1, ",travel"))
		if _, err := other.Apply(&sent); err != nil || dumpOf(t, other, false) != dumpOf(t, db, false) {
			t.Errorf("sent: %v", err)
		}
	}
}

// A repaired database of tags is one, whether its header was found or not.
func TestRepairTags(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "tags.polya")
		db := open(t, path, Options{Tags: true, Analyzer: "test"})
		for i := range 30 {
			add(t, db, plain(i+1, []string{",", ",a", ",a,b"}[i%3]))
		}
		want := dumpOf(t, db, true)
		db.Close()
		if lost {
			edit(t, path, func(tx *bolt.Tx) error {
				meta := tx.Bucket(stored.BucketMeta)
				h := bytes.Clone(meta.Get(stored.KeyHeader))
				h[7] ^= 1
				return meta.Put(stored.KeyHeader, h)
			})
		}
		out, err := Repair(t.Context(), path, Options{})
		if err != nil || lost != (out.Documents == 30) {
			t.Fatalf("lost %t: %+v, %v", lost, out, err)
		}
		db = open(t, path, Options{MustExist: true})
		if got := dumpOf(t, db, true); got != want || !db.Tags() {
			t.Errorf("lost %t: not as before, tags %t", lost, db.Tags())
		}
	}
}

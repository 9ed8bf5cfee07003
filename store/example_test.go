package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Two documents are learned and one is forgotten by its ID; a Snapshot has the counts that are left.
func Example() {
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(filepath.Join(dir, "fruit.polya"), store.Options{Analyzer: "my terms, version 1"})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	var d store.Delta
	for i, class := range []string{"apple", "pear"} {
		err := d.Add(count.Document{
			ID: count.DocID{byte(i + 1)}, Class: class,
			Terms: []count.TermCount{{Term: []byte("green"), N: 2}, {Term: []byte(class), N: 1}},
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	d.Forget(count.DocID{1})
	applied, err := db.Apply(&d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("learned", applied.Learned, "forgotten", applied.Forgotten)

	err = db.View(func(s *store.Snapshot) error {
		classes := s.Classes()
		terms := []count.TermCount{{Term: []byte("apple")}, {Term: []byte("green")}}
		return s.Rows(terms, false, func(i int, cells []count.Cell) error {
			for _, c := range cells { // valid only here
				fmt.Printf("%s is in %d document of %s, %d times\n", terms[i].Term, c.DF, classes[c.Class].Name, c.TF)
			}
			return nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// learned 2 forgotten 1
	// green is in 1 document of pear, 2 times
}

// The counts of two machines add up, and a dump carries them to another version or machine.
func ExampleDB_Merge() {
	ctx := context.Background()
	machine := func(ids ...byte) *store.DB {
		db, err := store.OpenMemory(nil, store.Options{Analyzer: "my terms, version 1"})
		if err != nil {
			log.Fatal(err)
		}
		var d store.Delta
		for _, id := range ids {
			if err := d.Add(count.Document{ID: count.DocID{id}, Class: "apple"}); err != nil {
				log.Fatal(err)
			}
		}
		if _, err := db.Apply(&d); err != nil {
			log.Fatal(err)
		}
		return db
	}
	one, other := machine(1, 2), machine(2, 3)
	defer one.Close()
	defer other.Close()
	applied, err := one.Merge(ctx, store.MergeOptions{}, other)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("learned", applied.Learned, "already", applied.Already)

	var dump bytes.Buffer
	if err := one.Dump(ctx, &dump, true); err != nil {
		log.Fatal(err)
	}
	third := machine()
	defer third.Close()
	if _, err := third.Load(ctx, false, &dump); err != nil {
		log.Fatal(err)
	}
	err = third.View(func(s *store.Snapshot) error {
		fmt.Println("documents", s.Documents())
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// learned 1 already 1
	// documents 3
}

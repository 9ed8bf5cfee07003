package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// foldOf returns the value of the file's fold, nil if there is none.
func foldOf(t *testing.T, path string) (value []byte) {
	t.Helper()
	editFold(t, path, func(b *bolt.Bucket) {
		if b != nil {
			value = bytes.Clone(b.Get(stored.KeyFold))
		}
	})
	return value
}

// putFold puts value in place of the file's fold, or removes that if it is nil.
func putFold(t *testing.T, path string, value []byte) {
	t.Helper()
	editFold(t, path, func(b *bolt.Bucket) {
		switch {
		case value != nil:
			must(t, b.Put(stored.KeyFold, value))
		case b != nil:
			must(t, b.Delete(stored.KeyFold))
		}
	})
}

func editFold(t *testing.T, path string, f func(*bolt.Bucket)) {
	t.Helper()
	b, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	must(t, err)
	defer b.Close()
	must(t, b.Update(func(tx *bolt.Tx) error {
		f(tx.Bucket(stored.BucketFold))
		return nil
	}))
}

// answers returns what a process reads that looks once for the terms of doc: their cells, the
// totals, and what the ledger says of it.
func answers(t *testing.T, path string, doc count.Document) string {
	t.Helper()
	text, err := tryAnswers(t, path, doc)
	must(t, err)
	return text
}

func tryAnswers(t *testing.T, path string, doc count.Document) (text string, err error) {
	db, err := Open(path, tuned(t, Options{ReadOnly: true}))
	must(t, err)
	defer db.Close()
	err = db.View(func(s *Snapshot) error {
		for _, c := range s.Classes() {
			text += fmt.Sprintf("%+v\n", *c)
		}
		e, err := s.Entry(doc.ID)
		if err != nil {
			return err
		}
		text += fmt.Sprintf("%d terms, %+v\n", s.Vocabulary(), e)
		return s.Rows(doc.Terms, true, func(i int, cells []count.Cell) error {
			text += fmt.Sprintf("%q %+v\n", doc.Terms[i].Term, cells)
			return nil
		})
	})
	return text, err
}

// TestFold trains in a process for each document. With its fold, without it, and with any that
// it had before, as a program leaves one that knows nothing of folds, the file answers alike,
// and learns alike.
func TestFold(t *testing.T) {
	skipRaced(t)
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		t.Run(mode.String(), func(t *testing.T) {
			shortTails(t)
			fast(t)
			u := tune(t)
			u.minTail = 40
			random := rand.New(rand.NewPCG(7, uint64(mode)))
			m := &machine{sim: newSim(mode), t: t, path: tempDB(t), o: Options{Analyzer: "a", Ledger: mode}}
			var folds [][]byte
			var used, half, stale int // folds of the whole tail, of a part, and of another
			for i := range 250 {
				class := simClasses[random.IntN(len(simClasses))]
				doc := simDocument(random.IntN(simDocs), 0, class)
				ops := []simOp{{"add", doc}}
				if _, known := m.docs[doc.ID]; known && random.IntN(3) == 0 {
					ops = []simOp{{"take", m.text(doc.ID)}}
				}
				m.open()
				m.request(ops, 0, 0, false)
				m.close()
				now := foldOf(t, m.path)
				want := answersWithout(t, m.path, doc)
				for _, value := range append(folds, now) {
					if value == nil {
						continue
					}
					putFold(t, m.path, value)
					if got := answers(t, m.path, doc); got != want {
						t.Fatalf("document %d: with a fold\n%s\nwithout\n%s", i, got, want)
					}
					switch n := foldState(t, m.path); {
					case n < 0:
						stale++
					case n > 0:
						half++
					default:
						used++
					}
				}
				if len(folds) > 6 {
					folds = folds[1:]
				}
				if now != nil && (len(folds) == 0 || !bytes.Equal(now, folds[len(folds)-1])) {
					folds = append(folds, now)
				}
				if len(folds) > 0 && i%3 == 0 { // the next learns beside an old one
					putFold(t, m.path, folds[0])
				}
				if i%10 == 0 {
					m.open()
					mustEqualSim(t, m.db, m.sim)
					mustCheck(t, m.db)
					m.close()
				}
			}
			if used == 0 || half == 0 || stale == 0 {
				t.Errorf("%d folds were of the whole tail, %d of a part, %d of none", used, half, stale)
			}
		})
	}
}

func answersWithout(t *testing.T, path string, doc count.Document) string {
	t.Helper()
	value := foldOf(t, path)
	putFold(t, path, nil)
	text := answers(t, path, doc)
	if value != nil {
		putFold(t, path, value)
	}
	return text
}

// foldState returns how many records of the tail the fold does not have, -1 if it is of
// another tail.
func foldState(t *testing.T, path string) (n int) {
	t.Helper()
	b, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	must(t, err)
	defer b.Close()
	must(t, b.View(func(tx *bolt.Tx) error {
		n = -1
		if f := (layout.Tx{Tx: tx}).Fold(); f != nil {
			n = int(layout.Tx{Tx: tx}.LastSeq() - f.To)
		}
		return nil
	}))
	return n
}

// folded returns a file with a fold of n documents, learned by one process, and one of them.
func folded(t *testing.T, n int) (path string, doc count.Document) {
	t.Helper()
	fast(t)
	path = tempDB(t)
	db := open(t, path, Options{})
	for i := range n {
		add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
	}
	must(t, db.Close())
	if foldState(t, path) != 0 {
		t.Fatal("a process that ends keeps no sum of the tail that it leaves")
	}
	return path, sample(n/2, "ham")
}

// Whatever bit of a fold is damaged, check finds it. Where that is in the head, or the value is
// cut short, the answers are the same.
func TestFoldDamaged(t *testing.T) {
	t.Parallel()
	path, doc := folded(t, 40)
	value, want := foldOf(t, path), answers(t, path, doc)
	f, ok := stored.DecodeFold(value)
	if !ok {
		t.Fatal("the fold is damaged")
	}
	head := len(value) - len(f.Rows)
	for at := 0; at < len(value); at += 1 + len(value)/150 {
		bad := bytes.Clone(value)
		bad[at] ^= 1 << (at % 8)
		putFold(t, path, bad)
		if got, err := tryAnswers(t, path, doc); at < head && (err != nil || got != want) {
			t.Fatalf("byte %d: %v, %s\nwant\n%s", at, err, got, want)
		}
		if problems(t, path) == 0 {
			t.Fatalf("check passes byte %d of %d", at, len(value))
		}
	}
	for _, cut := range []int{0, 3, head - 1, head + 5} {
		putFold(t, path, value[:cut])
		if got := answers(t, path, doc); got != want || problems(t, path) == 0 {
			t.Fatalf("cut to %d bytes: %s", cut, got)
		}
	}
	db := open(t, path, Options{})
	add(t, db, sample(40, "ham")) // which makes another
	mustCheck(t, db)
}

func problems(t *testing.T, path string) int {
	t.Helper()
	db, err := Open(path, tuned(t, Options{ReadOnly: true}))
	must(t, err)
	defer db.Close()
	r, err := db.Check(t.Context(), func(error) {})
	must(t, err)
	return r.Problems
}

// Check finds a fold that is sound and is not the sum of its records.
func TestFoldWrong(t *testing.T) {
	t.Parallel()
	path, _ := folded(t, 40)
	other, _ := folded(t, 41)
	value := foldOf(t, path)
	for name, change := range map[string]func(f *stored.Fold){
		"id":         func(f *stored.Fold) { f.IDs = bytes.Clone(f.IDs); f.IDs[3]++ },
		"bytes":      func(f *stored.Fold) { f.Bytes++ },
		"vocabulary": func(f *stored.Fold) { f.Vocabulary++ },
		"totals":     func(f *stored.Fold) { f.SetClasses([]*count.Class{{ID: 1, Docs: 1}}) },
		"rows":       func(f *stored.Fold) { f.Rows = new(table.Builder).Finish(f.To) },
		"position":   func(f *stored.Fold) { binary.LittleEndian.PutUint64(f.Rows[16:], f.To-1) },
		"beyond":     func(f *stored.Fold) { f.From, f.To = f.From+1, f.To+1 },
	} {
		f, _ := stored.DecodeFold(bytes.Clone(value))
		change(&f)
		putFold(t, path, f.Encode())
		if problems(t, path) == 0 {
			t.Errorf("%s: check finds nothing", name)
		}
	}
	putFold(t, path, foldOf(t, other))
	if problems(t, path) == 0 {
		t.Error("check passes the fold of another file")
	}
	putFold(t, path, value)
	if n := problems(t, path); n > 0 {
		t.Errorf("%d problems", n)
	}
}

// A tail whose sum would be too large is read as it is, and not tried at every training.
func TestFoldTooLarge(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	for i := range 2 {
		db := open(t, path, Options{})
		for k := range 16 * (1 - i) {
			doc := document(k, "ham", map[string]int{})
			for j := range 1200 { // which share what comes before
				doc.Terms = append(doc.Terms, count.TermCount{Term: fmt.Appendf(nil, "%0230d of %02d: %04d", 0, k, j), N: 1})
			}
			add(t, db, doc)
		}
		add(t, db, sample(100+i, "spam"))
		must(t, db.Close())
	}
	f, ok := stored.DecodeFold(foldOf(t, path))
	if !ok || f.To != 17 || len(f.Rows) > 0 {
		t.Errorf("%t, the fold reaches to %d, with rows of %d bytes", ok, f.To, len(f.Rows))
	}
	if n := problems(t, path); n > 0 {
		t.Errorf("%d problems", n)
	}
	doc := sample(101, "spam")
	if got, want := answers(t, path, doc), answersWithout(t, path, doc); got != want {
		t.Errorf("with a fold\n%s\nwithout\n%s", got, want)
	}
}

package rot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// File is a healthy database and its answers.
type File struct {
	Name string
	Data []byte
	Old  [][]byte // as it was before, after each of the other transactions

	dump    []byte   // with the ledger
	answers uint64   // to single questions
	after   []byte   // the dump after one more document was learned and one forgotten
	before  [][]byte // the dumps of Old and of Data
}

// spec describes the content of a database.
type spec struct {
	name       string
	ledger     count.Ledger
	attributes bool
	pruned     bool
	bulk       int // documents learned at once and merged
	tail       int // documents learned one by one afterwards
	words      int // distinct terms in a document
	state      int // bytes kept beside the counts
	killed     bool
}

var specs = []spec{
	{name: "full", ledger: count.LedgerFull, bulk: 30, tail: 6, words: 6, state: 40},
	{name: "digest", ledger: count.LedgerDigest, bulk: 30, tail: 6, words: 6, state: 40},
	{name: "none", ledger: count.LedgerNone, bulk: 30, tail: 6, words: 6, state: 40},
	{name: "attributes", ledger: count.LedgerFull, attributes: true, bulk: 40, tail: 8, words: 4},
	{name: "attributes in digest", ledger: count.LedgerDigest, attributes: true, bulk: 40, tail: 8, words: 4},
	{name: "pruned", ledger: count.LedgerFull, pruned: true, bulk: 30, tail: 6, words: 6},
	{name: "pruned digest", ledger: count.LedgerDigest, pruned: true, bulk: 30, tail: 6, words: 6},
	{name: "tail", ledger: count.LedgerFull, tail: 50, words: 8},
	{name: "merges", ledger: count.LedgerFull, bulk: 270, tail: 70, words: 3},
	{name: "merges in digest", ledger: count.LedgerDigest, bulk: 270, tail: 70, words: 3},
	{name: "large values", ledger: count.LedgerFull, bulk: 6, tail: 3, words: 500, state: 20000},
	{name: "killed", ledger: count.LedgerFull, bulk: 30, tail: 20, words: 6, state: 40, killed: true},
}

// Make makes a healthy database of each spec in dir, or reads existing ones, so that a
// seed gives the same damage again: each file has a random key.
func Make(dir string) (files []*File) {
	for i := range specs {
		s := &specs[i]
		var f *File
		if harness.Try(func() { f = s.read(dir) }) != nil {
			s.make(dir)
			f = s.read(dir)
		}
		f.observe(filepath.Join(dir, fmt.Sprintf("healthy-%d.polya", os.Getpid())))
		files = append(files, f)
	}
	return files
}

func (s *spec) path(dir string, version int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.polya", s.name, version))
}

func (s *spec) read(dir string) *File {
	f := &File{Name: s.name}
	for {
		data, err := os.ReadFile(s.path(dir, len(f.Old)))
		if errors.Is(err, fs.ErrNotExist) && len(f.Old) > 1 {
			break
		}
		harness.Check(err)
		f.before = append(f.before, harness.Must(os.ReadFile(s.path(dir, len(f.Old))+".dump")))
		f.Old = append(f.Old, data)
	}
	last := len(f.Old) - 1
	f.Data, f.Old = f.Old[last], f.Old[:last]
	return f
}

// make makes the file, and copies it and its dump after every transaction.
func (s *spec) make(dir string) {
	path := filepath.Join(dir, "made.polya")
	os.Remove(path)
	var states [][]byte
	keep := func(err error) {
		harness.Check(err)
		states = append(states, harness.Must(os.ReadFile(path)))
	}
	db := harness.Must(store.Open(path, store.Options{Analyzer: "rot", Ledger: s.ledger}))
	s.fill(db, keep)
	harness.Check(db.Close())
	if !s.killed {
		keep(nil)
	}
	os.Remove(path)
	for i, data := range states {
		path := s.path(dir, i)
		harness.Check(os.WriteFile(path, data, 0o600))
		db := harness.Must(store.Open(path, store.Options{ReadOnly: true}))
		text := harness.Must(dump(db))
		harness.Check(errors.Join(db.Close(), os.WriteFile(path+".dump", text, 0o600)))
	}
}

func (s *spec) fill(db *store.DB, keep func(error)) {
	n := 0
	learn := func(count int) {
		var d store.Delta
		for range count {
			n++
			harness.Check(d.Add(*s.document(n)))
		}
		_, err := db.ApplyLog(context.Background(), []store.Logged{{Delta: &d, Position: uint64(n)}})
		keep(err)
	}
	keep(db.PutState(map[string][]byte{"fit": make([]byte, s.state), "other": {1}}))
	learn(s.bulk/2 + 1)
	learn(s.bulk/2 + 1)
	if s.bulk > 0 {
		keep(db.Compact(context.Background()))
	}
	if s.pruned {
		_, err := db.Prune(context.Background(), false, func(_ []byte, cells []count.Cell) bool { return len(cells) == 1 && cells[0].DF == 1 })
		keep(err)
	}
	for range s.tail {
		learn(1)
	}
	var d store.Delta
	harness.Check(s.forget(&d, 2))
	_, err := db.Apply(&d)
	keep(err)
}

// forget adds to d the forgetting of document n, by id where the ledger has its counts.
func (s *spec) forget(d *store.Delta, n int) error {
	if s.ledger == count.LedgerFull {
		d.Forget(s.document(n).ID)
		return nil
	}
	return d.Take(*s.document(n))
}

// Rows of four or more cells have another encoding than shorter rows.
var classes = []string{"ham", "spam", "list", "news", "bills"}

// document makes document n: the same one each time.
func (s *spec) document(n int) *count.Document {
	random := rand.New(rand.NewPCG(uint64(n), 5))
	doc := &count.Document{
		ID:     count.DocID{byte(n), byte(n >> 8), 77, byte(random.Uint32())},
		Class:  classes[random.IntN(len(classes))],
		Time:   time.Unix(1700000000+int64(n), 0),
		Source: "mail",
	}
	seen := make(map[int]bool)
	for len(seen) < s.words {
		// Few terms are frequent and most are rare.
		term := int(float64(s.words*30) * random.Float64() * random.Float64() * random.Float64())
		if seen[term] {
			continue
		}
		seen[term] = true
		doc.Terms = append(doc.Terms, count.TermCount{Term: fmt.Appendf(nil, "term%d", term), N: uint8(1 + random.IntN(3))})
	}
	if s.attributes {
		doc.Attributes = []count.Attribute{
			{Name: "colour", Kind: count.Category, Category: fmt.Sprint("c", random.IntN(9))},
			{Name: "html", Kind: count.YesNo, Number: float64(random.IntN(2))},
			{Name: "size", Kind: count.Real, Number: random.Float64()},
			{Name: "wait", Kind: count.Uniform, Number: float64(random.IntN(50))},
		}
	}
	return doc
}

// observe records the answers of the file, temporarily at path, that damage must not
// change.
func (f *File) observe(path string) {
	r := Try(f, path, f.Data, Damage{})
	f.dump, f.answers, f.after = r.dump, r.answers, r.after
	again := Try(f, path, f.Data, Damage{})
	if r.err != nil || r.Reported+r.Bad+again.Reported+again.Bad != "" || len(f.dump) == 0 || bytes.Equal(f.dump, f.after) {
		harness.Failf("the healthy file %s: %s, %s, %v; again: %s, %s, %v", f.Name, r.Reported, r.Bad, r.err, again.Reported, again.Bad, again.err)
	}
}

func (f *File) spec() *spec {
	for i := range specs {
		if specs[i].name == f.Name {
			return &specs[i]
		}
	}
	return nil
}

// Dump returns the dump of the file, with the ledger.
func (f *File) Dump() []byte { return f.dump }

package rot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Result is the result of a trial.
type Result struct {
	// Reported is the step that detected the damage first: "open", "read" or "check", or ""
	// for none.
	Reported string

	// Older says that the damage was not detected, and that the whole database is in its
	// state after an earlier transaction: the root page of all others is the old one. This
	// cannot be distinguished from a power failure before that page was written.
	Older bool

	// Bad describes a failure: a panic, an undetected change of an answer, an error of more
	// than a line; or "".
	Bad string

	err     error // the first
	dump    []byte
	answers uint64
	after   []byte
}

// Try writes the data of f, damaged, to path and uses it in every way: opened for
// reading, then for writing.
func Try(f *File, path string, data []byte, d Damage) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r.Bad = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	data = d.Apply(bytes.Clone(data))
	t := &attempt{f: f, path: path, brief: d.Brief, Result: &r}
	for _, use := range []func(){t.read, t.write} {
		// A new file each time: bbolt keeps a file locked after a panic.
		os.Remove(path)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			r.Bad = err.Error()
			return r
		}
		use()
	}
	os.Remove(path)
	if t.differs && r.Reported == "" {
		t.bad("silent: an answer differs")
	}
	return r
}

type attempt struct {
	*Result
	f     *File
	path  string
	brief bool

	differs bool // an answer does, and nobody has reported anything yet
}

// saw notes an error, which must be one line.
func (t *attempt) saw(who string, err error) bool {
	if err == nil {
		return false
	}
	if t.Reported == "" {
		t.Reported, t.err = who, err
	}
	if text := err.Error(); text == "" || strings.ContainsAny(text, "\n\r") || errors.Is(err, store.ErrInUse) || strings.Contains(text, "runtime error") && !isCorrupt(err) {
		t.bad("error: " + text)
	}
	return true
}

func isCorrupt(err error) bool {
	var corrupt *store.CorruptError
	return errors.As(err, &corrupt)
}

func (t *attempt) bad(what string) {
	if t.Bad == "" {
		t.Bad = what
	}
}

func (t *attempt) open(o store.Options) *store.DB {
	db, err := store.Open(t.path, o)
	if t.saw("open", err) {
		return nil
	}
	return db
}

// read asks a database opened for reading.
func (t *attempt) read() {
	db := t.open(store.Options{ReadOnly: true})
	if db == nil {
		return
	}
	defer func() { t.saw("read", db.Close()) }()
	var err error
	t.answers, err = answers(db, t.f.spec())
	t.saw("read", err)
	answered := err == nil
	t.dump, err = dump(db)
	dumped := !t.saw("read", err)
	if !t.brief {
		t.check(db)
	}
	if t.f.dump == nil {
		return // the healthy file is read for the first time
	}
	switch {
	case dumped && t.older():
		t.Older = t.Reported == ""
	case dumped && !bytes.Equal(t.dump, t.f.dump):
		t.bad("silent: the dump differs")
	case answered && t.answers != t.f.answers && t.Reported == "":
		t.differs = true // the check of the database opened for writing may see it
	}
}

// older reports whether the dump is of a state before the last transaction.
func (t *attempt) older() bool {
	same := func(before []byte) bool { return bytes.Equal(before, t.dump) }
	return !same(t.f.dump) && slices.ContainsFunc(t.f.before, same)
}

// write asks a database opened for writing, and changes it.
func (t *attempt) write() {
	db := t.open(store.Options{MustExist: true})
	if db == nil {
		return
	}
	defer func() { t.saw("read", db.Close()) }()
	t.check(db)
	seen := t.Reported != ""
	var d store.Delta
	err := d.Add(*t.f.spec().document(9001))
	if err == nil {
		err = t.f.spec().forget(&d, 4)
	}
	if err == nil {
		_, err = db.Apply(&d)
	}
	if t.saw("read", err) {
		return
	}
	if t.after, err = dump(db); t.saw("read", err) {
		return
	}
	if !seen && !t.Older && t.f.after != nil && !bytes.Equal(t.after, t.f.after) {
		t.bad("silent: after a training the dump differs")
	}
}

func (t *attempt) check(db *store.DB) {
	report, err := db.Check(context.Background(), func(err error) { t.saw("check", err) })
	t.saw("check", err)
	if err == nil && report.Problems > 0 && t.Reported == "" {
		t.bad("check counts problems that it does not name")
	}
}

func dump(db *store.DB) ([]byte, error) {
	var b bytes.Buffer
	err := db.Dump(context.Background(), &b, true)
	return b.Bytes(), err
}

// answers asks single questions, as a classification and a look at the ledger do.
func answers(db *store.DB, s *spec) (uint64, error) {
	sum := fnv.New64a()
	note := func(n ...uint64) {
		for _, n := range n {
			_ = binary.Write(sum, binary.LittleEndian, n)
		}
	}
	err := db.View(func(v *store.Snapshot) error { return harness.Try(func() { ask(v, s, sum, note) }) })
	return sum.Sum64(), err
}

func ask(v *store.Snapshot, s *spec, sum io.Writer, note func(...uint64)) {
	note(v.Documents(), v.Vocabulary())
	for _, c := range v.Classes() {
		io.WriteString(sum, c.Name)
		note(uint64(c.ID), c.Docs, c.Tokens, c.Weight, c.Terms, uint64(len(c.Lengths)), uint64(len(c.Frequencies)))
	}
	for _, levels := range []bool{false, true} {
		harness.Check(v.Rows(s.document(3).Terms, levels, func(i int, cells []count.Cell) error {
			for _, c := range cells {
				note(uint64(i), uint64(c.Class), c.DF, c.TF, c.W)
			}
			return nil
		}))
	}
	note(harness.Must(v.Position()))
	sum.Write(v.State("fit"))
	for n := 1; n < 8; n++ {
		if e := harness.Must(v.Entry(s.document(n).ID)); e != nil {
			io.WriteString(sum, e.Class+e.Source)
			note(uint64(e.Time.Unix()))
		}
	}
	for _, a := range harness.Must(v.Attributes()) {
		io.WriteString(sum, a.Name)
		note(uint64(a.Kind), uint64(len(a.Classes)))
	}
}

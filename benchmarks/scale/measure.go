//go:build linux && (amd64 || arm64)

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/polya-classifier/polya/benchmarks/zipf"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// result is what was measured of one corpus. Rates are by CPU second, times in
// milliseconds or nanoseconds as their names say.
type result struct {
	documents, classes int
	terms              uint64

	learned, learnedMB float64 // documents and MB of text
	fileMB, peakMB     float64

	openMS, openColdMS                            float64
	singleMS, singleP99, singleMax, singleCPU     float64
	warmNS, coldNS, coldMB, multinomialNS, autoNS float64

	floor floor
}

type measurement struct {
	result
	options *options
	path    string
	corpus  zipf.Corpus
}

const (
	chunk     = 250  // documents drawn before the clock goes on
	singles   = 2000 // durable trainings
	questions = 1000 // documents looked up and scored
	coldOnes  = 100  // documents looked up with a cold page cache
)

func (m *measurement) run(ctx context.Context) error {
	m.corpus = zipf.Corpus{Seed: m.options.seed, Classes: m.classes, Terms: m.options.terms}
	defer os.Remove(m.path)
	for _, step := range []func(context.Context) error{m.learn, m.open, m.cold, m.warm, m.score, m.single, m.floors} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stored draws n documents from number first on in the store's form, and returns their
// bytes of text.
func (m *measurement) stored(first, n int) (docs []count.Document, text int) {
	var d zipf.Document
	var buffer []byte
	for i := first; i < first+n; i++ {
		m.corpus.Draw(i, &d)
		docs = append(docs, d.Stored())
		buffer = d.AppendText(buffer[:0])
		text += len(buffer)
	}
	return docs, text
}

// learn makes the database, in batches.
func (m *measurement) learn(ctx context.Context) error {
	forgetPeak()
	os.Remove(m.path)
	db, err := store.Open(m.path, store.Options{Analyzer: tokenize.DefaultSpec, Ledger: m.options.ledger})
	if err != nil {
		return err
	}
	defer db.Close()
	var used time.Duration
	var d store.Delta
	text, pending := 0, 0
	apply := func() error {
		t, err := spent(func() error { _, err := db.Apply(&d); return err })
		used += t
		d.Reset()
		pending = 0
		return err
	}
	for i := 0; i < m.documents; i += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		docs, n := m.stored(i, min(chunk, m.documents-i))
		text += n
		t, err := spent(func() error {
			for _, doc := range docs {
				if err := d.Add(doc); err != nil {
					return err
				}
			}
			return nil
		})
		used += t
		if pending += len(docs); err == nil && pending >= m.options.batch {
			err = apply()
		}
		if err != nil {
			return err
		}
	}
	if err := apply(); err != nil {
		return err
	}
	t, err := spent(db.Close)
	used += t
	m.learned = float64(m.documents) / used.Seconds()
	m.learnedMB = float64(text) / 1e6 / used.Seconds()
	m.peakMB = peakMB()
	if info, statErr := os.Stat(m.path); statErr == nil {
		m.fileMB = float64(info.Size()) / 1e6
	}
	return err
}

// open opens the database for reading and looks one document up, with the file in
// memory and without.
func (m *measurement) open(context.Context) error {
	docs, _ := m.stored(m.documents, 1)
	once := func() error {
		db, err := store.Open(m.path, store.Options{ReadOnly: true})
		if err != nil {
			return err
		}
		_, err = lookUp(db, docs)
		return closeWith(db, err)
	}
	if err := dropCache(m.path); err != nil {
		return err
	}
	t, err := wait(once)
	if err != nil {
		return err
	}
	m.openColdMS = milliseconds(t)
	var times []time.Duration
	for range 20 {
		t, err := wait(once)
		if err != nil {
			return err
		}
		times = append(times, t)
	}
	m.openMS = milliseconds(quantile(times, .5))
	return nil
}

func closeWith(db *store.DB, err error) error {
	if closeErr := db.Close(); err == nil {
		err = closeErr
	}
	return err
}

// single learns documents one by one, in one process, each on disk before the next.
func (m *measurement) single(ctx context.Context) error {
	db, err := store.Open(m.path, store.Options{})
	if err != nil {
		return err
	}
	docs, _ := m.stored(m.documents, singles)
	var times []time.Duration
	used, err := spent(func() error {
		for _, doc := range docs {
			var d store.Delta
			if err := d.Add(doc); err != nil {
				return err
			}
			t, err := wait(func() error { _, err := db.Apply(&d); return err })
			if err != nil {
				return err
			}
			times = append(times, t)
		}
		return ctx.Err()
	})
	if err := closeWith(db, err); err != nil {
		return err
	}
	m.singleMS, m.singleP99, m.singleMax = milliseconds(quantile(times, .5)), milliseconds(quantile(times, .99)), milliseconds(quantile(times, 1))
	m.singleCPU = milliseconds(used) / singles
	return nil
}

// lookUp reads the rows of the documents' terms, and returns how many there were.
func lookUp(db *store.DB, docs []count.Document) (rows int, err error) {
	err = db.View(func(s *store.Snapshot) error {
		for i := range docs {
			if err := s.Rows(docs[i].Terms, false, func(int, []count.Cell) error { rows++; return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	return rows, err
}

// cold looks documents up in a file that is not in memory.
func (m *measurement) cold(context.Context) error {
	docs, _ := m.stored(m.documents+singles, coldOnes)
	if err := dropCache(m.path); err != nil {
		return err
	}
	before := readBytes()
	db, err := store.Open(m.path, store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	var rows int
	t, err := wait(func() (err error) { rows, err = lookUp(db, docs); return err })
	if err := closeWith(db, err); err != nil {
		return err
	}
	m.coldNS = float64(t) / float64(rows)
	m.coldMB = float64(readBytes()-before) / 1e6
	return nil
}

// best calls f, which handles so many terms, five times and returns the least CPU time
// a term, in nanoseconds.
func best(f func() (terms int, err error)) (float64, error) {
	least := 0.
	for i := range 5 {
		terms := 0
		t, err := spent(func() (err error) { terms, err = f(); return err })
		if err != nil {
			return 0, err
		}
		if ns := float64(t) / float64(terms); i == 0 || ns < least {
			least = ns
		}
	}
	return least, nil
}

// warm looks documents up in a file that is in memory.
func (m *measurement) warm(context.Context) error {
	docs, _ := m.stored(m.documents+singles, questions)
	db, err := store.Open(m.path, store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	err = db.View(func(s *store.Snapshot) error { m.terms = s.Vocabulary(); return nil })
	if err == nil {
		m.warmNS, err = best(func() (int, error) { return lookUp(db, docs) })
	}
	return closeWith(db, err)
}

// score classifies documents, by a known term.
func (m *measurement) score(ctx context.Context) error {
	for model, into := range map[string]*float64{"multinomial": &m.multinomialNS, "auto": &m.autoNS} {
		parsed, err := classify.ParseModel(model)
		if err != nil {
			return err
		}
		c, err := classify.Open(m.path, classify.Options{Model: parsed, Store: store.Options{ReadOnly: true}})
		if err != nil {
			return err
		}
		*into, err = m.scoreWith(ctx, c)
		if closeErr := c.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", model, err)
		}
	}
	return nil
}

func (m *measurement) scoreWith(ctx context.Context, c *classify.Classifier) (float64, error) {
	docs := make([]classify.Document, 0, questions)
	terms := 0
	var d zipf.Document
	for i := range questions {
		m.corpus.Draw(m.documents+singles+i, &d)
		bag := new(tokenize.Bag)
		d.Fill(bag)
		docs = append(docs, classify.Document{Bag: bag})
		terms += bag.Len()
	}
	// The first one may have to fit the model.
	if _, err := c.Classify(ctx, docs[0]); err != nil {
		return 0, err
	}
	return best(func() (int, error) {
		for _, doc := range docs {
			if _, err := c.Classify(ctx, doc); err != nil {
				return 0, err
			}
		}
		return terms, nil
	})
}

func (m *measurement) floors(context.Context) (err error) {
	m.floor, err = measureFloor(filepath.Dir(m.path), int(m.fileMB*1e6), &m.corpus)
	return err
}

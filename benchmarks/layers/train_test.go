package layers

import (
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

var twoClasses = []string{"ham", "spam"}

// BenchmarkCommit is learning one document durably, merging tables when that is due.
func BenchmarkCommit(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "db"), classify.Options{Model: model.Multinomial{}})
	defer c.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	i := 0
	for b.Loop() {
		if _, err := c.Train(background, twoClasses[i%2], drawn(rng, i, 200, 100_000)); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkCommitTogether is the same with 64 callers at a time, who share commits.
func BenchmarkCommitTogether(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "db"), classify.Options{Model: model.Multinomial{}})
	defer c.Close()
	var next atomic.Int64
	b.SetParallelism(32) // times GOMAXPROCS
	b.RunParallel(func(pb *testing.PB) {
		rng := rand.New(rand.NewPCG(uint64(next.Add(1)), 1))
		for pb.Next() {
			i := int(next.Add(1))
			if _, err := c.Train(background, twoClasses[i%2], drawn(rng, i, 50, 100_000)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkBulk is learning the sample mail at once into a new database, tokenizing
// included.
func BenchmarkBulk(b *testing.B) {
	all, classes, size := messages(b)
	a := analyzer(b, "")
	b.SetBytes(int64(size))
	for b.Loop() {
		c := open(b, filepath.Join(b.TempDir(), "db"), classify.Options{Store: store.Options{Ledger: count.LedgerDigest}})
		var batch classify.Batch
		bag := new(tokenize.Bag)
		for i, raw := range all {
			bag.Reset()
			mail.Read(a, bag, raw)
			if err := batch.Train(classes[i], classify.Document{ID: mail.ID(raw), Bag: bag}); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := c.Apply(background, &batch); err != nil {
			b.Fatal(err)
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMerge is adding one database to another, document by document.
func BenchmarkMerge(b *testing.B) {
	from := open(b, filepath.Join(b.TempDir(), "from"), classify.Options{})
	defer from.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	var batch classify.Batch
	for i := range 2000 {
		if err := batch.Train(twoClasses[i%2], drawn(rng, i, 200, 100_000)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := from.Apply(background, &batch); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		to := open(b, filepath.Join(b.TempDir(), "to"), classify.Options{})
		if _, err := to.Store().Merge(background, store.MergeOptions{}, from.Store()); err != nil {
			b.Fatal(err)
		}
		if err := to.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFit is calibrating: judging 2,000 documents without their own help, and the
// fits of six models.
func BenchmarkFit(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "db"), classify.Options{})
	defer c.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	var batch classify.Batch
	for i := range 2000 {
		vocabulary := 100_000 - 30_000*(i%2)
		if err := batch.Train(twoClasses[i%2], drawn(rng, i, 200, vocabulary)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := c.Apply(background, &batch); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if k, err := c.Calibrate(background, 0); err != nil || k == nil {
			b.Fatal(k, err)
		}
	}
}

// BenchmarkRefit is fitting the DCM of a class that has all terms of the large table,
// from cold: a look at all rows and the search for the precision.
func BenchmarkRefit(b *testing.B) {
	t := large(b, 1)
	c := open(b, t.path, classify.Options{Store: store.Options{ReadOnly: true}})
	defer c.Close()
	for b.Loop() {
		err := c.Store().View(func(s *store.Snapshot) error {
			class := s.Classes()[0]
			var rows model.Histograms
			err := s.Scan(true, func(_ []byte, cells []count.Cell) error {
				rows.Add(cells[0])
				return nil
			})
			if err != nil {
				return err
			}
			if fit := model.FitDCM(class, &rows, s.Vocabulary(), model.DefaultDCMEpsilon); fit == 0 {
				b.Error(fit)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

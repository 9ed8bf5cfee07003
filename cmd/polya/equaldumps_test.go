package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// lesson is a document and the class that it is in at the end.
type lesson struct {
	class string
	doc   classify.Document
}

// lessonsOf makes documents, some with attributes, whose words repeat as those of mail do.
func lessonsOf(c *classify.Classifier, rng *rand.Rand, name string, n int, classes ...string) (all []lesson) {
	for i := range n {
		class := classes[i%len(classes)]
		words := []string{fmt.Sprint(name, i)}
		for range 4 + rng.IntN(20) {
			word := fmt.Sprint("word", rng.IntN(90))
			if rng.IntN(3) == 0 {
				word = class + fmt.Sprint(rng.IntN(25))
			}
			words = append(words, slices.Repeat([]string{word}, 1+rng.IntN(2)*rng.IntN(5))...)
		}
		doc := c.Document([]byte(strings.Join(words, " ")))
		doc.Time = time.Unix(1_700_000_000+int64(i), 0)
		if i%3 == 0 {
			doc.Attributes = []count.Attribute{
				{Name: "day", Kind: count.Category, Category: fmt.Sprint("day", rng.IntN(4))},
				{Name: "size", Kind: count.Real, Number: rng.NormFloat64() + float64(len(class))},
			}
		}
		all = append(all, lesson{class, doc})
	}
	return all
}

// histories are ways to come to the same counts and ledger. other are documents that are
// gone at the end.
var histories = map[string]func(*scholar, []lesson, []lesson){
	"one by one, in another order": func(s *scholar, all, _ []lesson) {
		for _, i := range s.rng.Perm(len(all)) {
			s.train(all[i].class, all[i])
		}
	},
	"all at once": func(s *scholar, all, _ []lesson) {
		var b classify.Batch
		for _, l := range all {
			s.no(b.Train(l.class, l.doc))
		}
		_, err := s.c.Apply(s.ctx, &b)
		s.no(err)
	},
	"much forgotten": func(s *scholar, all, other []lesson) {
		for _, part := range [][]lesson{all[:len(all)/2], other, all[len(all)/2:]} {
			for _, l := range part {
				s.train(l.class, l)
			}
			s.calibrate(model.DCM{}, model.Multinomial{Alpha: 1})
		}
		for _, l := range other {
			_, err := s.c.Forget(s.ctx, l.doc)
			s.no(err)
		}
	},
	"relabelled, and a class that is empty now": func(s *scholar, all, _ []lesson) {
		for i, l := range all {
			s.train([]string{"work", "zero", "ham"}[i%3], l)
		}
		s.calibrate(model.Complement{})
		for _, l := range all {
			_, err := s.c.Relabel(s.ctx, l.class, l.doc)
			s.no(err)
		}
	},
	"merged": func(s *scholar, all, _ []lesson) {
		other := s.open()
		for i, l := range all {
			if i%2 == 0 {
				s.train(l.class, l)
				continue
			}
			_, err := other.Train(s.ctx, l.class, l.doc)
			s.no(err)
		}
		_, err := s.c.Store().Merge(s.ctx, store.MergeOptions{}, other.Store())
		s.no(err)
	},
	"loaded": func(s *scholar, all, _ []lesson) {
		other := s.open()
		for _, l := range all {
			_, err := other.Train(s.ctx, l.class, l.doc)
			s.no(err)
		}
		_, err := s.c.Store().Load(s.ctx, false, bytes.NewReader(dumpOf(s.t, other)))
		s.no(err)
	},
}

// scholar is a database that learns.
type scholar struct {
	t   *testing.T
	ctx context.Context
	c   *classify.Classifier
	rng *rand.Rand
	n   int
}

func (s *scholar) open() *classify.Classifier {
	s.n++
	c, err := classify.Open(filepath.Join(s.t.TempDir(), fmt.Sprint(s.n, ".polya")), classify.Options{})
	s.no(err)
	s.t.Cleanup(func() { c.Close() })
	return c
}

func (s *scholar) no(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scholar) train(class string, l lesson) {
	s.t.Helper()
	_, err := s.c.Train(s.ctx, class, l.doc)
	s.no(err)
}

func (s *scholar) calibrate(models ...classify.Model) *calibration.Calibration {
	s.t.Helper()
	k, err := s.c.Calibrate(s.ctx, 0, models...)
	s.no(err)
	return k
}

func dumpOf(t *testing.T, c *classify.Classifier) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := c.Store().Dump(context.Background(), &out, true); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// answersOf returns what 'polya classify --json' prints for every model.
func answersOf(t *testing.T, c *classify.Classifier, docs []lesson) map[string]string {
	t.Helper()
	all := map[string]string{}
	names := append(evaluation.ModelNames(),
		"stack", "ratio", "attributes", "multinomial:alpha=1", "bernoulli:yes=1,no=1", "dcm:epsilon=0.1")
	for _, name := range names {
		m, err := classify.ParseModel(name)
		if err != nil {
			t.Fatal(err)
		}
		with, err := c.WithModel(m)
		if err != nil {
			t.Fatal(err)
		}
		line := ""
		for _, l := range docs {
			r, err := with.Classify(context.Background(), l.doc)
			if err != nil {
				t.Fatal(err)
			}
			line += jsonOf(t, &answers{}, &reading.Document{Document: corpus.Document{Path: "new"}, ID: l.doc.ID, Answer: r})
		}
		all[name] = line
	}
	return all
}

// calibrationOf returns what was calibrated, with classes by their names: their ids are
// those of their histories.
func calibrationOf(c *classify.Classifier, k *calibration.Calibration) string {
	if k == nil {
		return "nothing"
	}
	text := fmt.Sprintln(k.Documents, k.Sample, k.Limit, k.Chosen)
	for _, m := range k.Models {
		text += fmt.Sprintln(m.Name, m.Components, m.Loss, m.Weights)
		for _, class := range statistics.Classes(c.Store()) {
			text += fmt.Sprintln(class.Name, k.Sampled[class.ID], m.Bias[class.ID], m.Tails[class.ID], m.Zones[class.ID])
		}
	}
	return text
}

// Databases that came to equal dumps by different ways give the same bytes of answers
// after a calibration, for every model; also where so little is left that there is none.
func TestEqualDumpsAnswerEqually(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for n, classes := range map[int][]string{120: {"ham", "spam", "ham", "work"}, 31: {"ham", "spam"}, 11: {"ham", "spam"}} {
		if testing.Short() && n > 100 {
			continue
		}
		var want, wantDump string
		wants := map[string]string{}
		for name, learn := range histories {
			s := &scholar{t: t, ctx: context.Background(), rng: rand.New(rand.NewPCG(1, uint64(n)))}
			s.c = s.open()
			rng := rand.New(rand.NewPCG(2, uint64(n)))
			all, other := lessonsOf(s.c, rng, "own", n, classes...), lessonsOf(s.c, rng, "other", 200, classes...)
			asked := lessonsOf(s.c, rng, "asked", 12, classes...)
			learn(s, all, other)
			var models []classify.Model
			for _, m := range model.Models() {
				models = append(models, m)
			}
			k := s.calibrate(models...)
			if (k != nil) != (n >= statistics.CalibratedFrom) {
				t.Fatalf("%d documents, %s: calibrated %t", n, name, k != nil)
			}
			dump, answers := string(dumpOf(t, s.c)), answersOf(t, s.c, asked)
			answers["the calibration"] = calibrationOf(s.c, k)
			if want == "" {
				want, wantDump, wants = name, dump, answers
			}
			if dump != wantDump {
				t.Errorf("%d documents: the dump of %q is not that of %q", n, name, want)
			}
			for model, got := range answers {
				if got != wants[model] {
					t.Errorf("%d documents, %s: %q answers\n%.300s, and %q\n%.300s", n, model, name, got, want, wants[model])
				}
			}
		}
	}
}

package tags

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// text is a document of a test.
type text struct {
	words string
	tags  []string
}

// randomTexts are about three tags, each with words of its own, or about none.
func randomTexts(rng *rand.Rand, n int) []text {
	texts := make([]text, n)
	for i := range texts {
		x := &texts[i]
		for _, tag := range []string{"family", "travel", "work"} {
			if rng.IntN(3) == 0 {
				x.tags = append(x.tags, tag)
				for range 2 {
					x.words += fmt.Sprintf(" %s%d", tag, rng.IntN(6))
				}
			}
		}
		for range 3 + rng.IntN(8) {
			x.words += fmt.Sprintf(" word%d", rng.IntN(1+rng.IntN(80)))
		}
	}
	return texts
}

func (x text) document(t *Tagger, i int) classify.Document {
	doc := t.c.Document([]byte(x.words))
	doc.ID = classify.ContentID([]byte{byte(i), byte(i >> 8)})
	return doc
}

func newTagger(t testing.TB, o classify.Options) *Tagger {
	t.Helper()
	o.Holds = classify.Tags
	c, err := classify.Open(filepath.Join(t.TempDir(), "tags.polya"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	tagger, err := New(c, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tagger
}

var byHand = classify.Options{Fitting: classify.FitByHand}

func (x text) train(t testing.TB, to *Tagger, i int) {
	t.Helper()
	if _, err := to.c.Train(t.Context(), x.set(), x.document(to, i)); err != nil {
		t.Fatal(err)
	}
}

func (x text) set() string {
	set, err := count.TagSet(x.tags...)
	if err != nil {
		panic(err)
	}
	return set
}

func dumpOf(t *testing.T, x *Tagger, ledger bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := x.c.Store().Dump(t.Context(), &b, ledger); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func scores(t *testing.T, x *Tagger, words string) Result {
	t.Helper()
	r, err := x.Score(t.Context(), x.c.Document([]byte(words)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Documents in any order and grouping, some learned otherwise before, some learned and
// forgotten, and merged from two databases, give the same counts, and calibrated the same
// answers to the bit.
func TestOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	texts := randomTexts(rng, 160)
	var dump string
	var answer Result
	ways := map[string]func(*Tagger){
		"one by one": func(x *Tagger) {
			for _, i := range rng.Perm(len(texts)) {
				texts[i].train(t, x, i)
			}
		},
		"together": func(x *Tagger) {
			var b classify.Batch
			for _, i := range rng.Perm(len(texts)) {
				b.Train(texts[i].set(), texts[i].document(x, i))
			}
			if _, err := x.c.Apply(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		},
		"changed": func(x *Tagger) {
			for _, i := range rng.Perm(len(texts)) {
				doc := texts[i].document(x, i)
				text{words: texts[i].words}.train(t, x, i)
				more := text{words: "travel0 word1 gone", tags: []string{"gone", "travel"}}
				more.train(t, x, 1000+i)
				if _, err := x.c.Relabel(t.Context(), texts[i].set(), doc); err != nil {
					t.Fatal(err)
				}
				if _, err := x.c.Forget(t.Context(), more.document(x, 1000+i)); err != nil {
					t.Fatal(err)
				}
			}
		},
		"merged": func(x *Tagger) {
			other := newTagger(t, byHand)
			for _, i := range rng.Perm(len(texts)) {
				texts[i].train(t, []*Tagger{x, other}[i%2], i)
			}
			if _, err := x.c.Store().Merge(t.Context(), store.MergeOptions{}, other.c.Store()); err != nil {
				t.Fatal(err)
			}
		},
		"loaded": func(x *Tagger) {
			other := newTagger(t, byHand)
			for i := range texts {
				texts[i].train(t, other, i)
			}
			if _, err := x.c.Store().Load(t.Context(), false, strings.NewReader(dumpOf(t, other, true))); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, way := range ways {
		x := newTagger(t, byHand)
		way(x)
		if _, err := x.c.Calibrate(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		got, r := dumpOf(t, x, false), scores(t, x, "travel1 travel2 word3 family0")
		if dump == "" {
			dump, answer = got, r
		}
		if got != dump {
			t.Errorf("%s: another dump", name)
		}
		if fmt.Sprint(r) != fmt.Sprint(answer) {
			t.Errorf("%s: %v, want %v", name, r, answer)
		}
		report, err := x.c.Store().Check(t.Context(), func(err error) { t.Error(err) })
		if err != nil || report.Problems > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The scores of a database that was not calibrated, and those of each document left out, are
// those of the definition over the documents themselves.
func TestScoreAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	texts := randomTexts(rng, 60)
	x := newTagger(t, byHand)
	for i := range texts {
		texts[i].train(t, x, i)
	}
	tags := []string{"family", "travel", "work"}
	// ratio is model.Ratio over document frequencies of a tag against all others.
	ratio := func(docs []text, tag, words string, alpha, bound float64) float64 {
		n := map[bool]float64{}
		df := map[string]map[bool]float64{}
		for _, d := range docs {
			has := slices.Contains(d.tags, tag)
			n[has]++
			for _, w := range slices.Compact(slices.Sorted(slices.Values(strings.Fields(d.words)))) {
				if df[w] == nil {
					df[w] = map[bool]float64{}
				}
				df[w][has]++
			}
		}
		sum, terms := 0.0, 1.0
		for _, w := range slices.Compact(slices.Sorted(slices.Values(strings.Fields(words)))) {
			if df[w] == nil {
				continue
			}
			r := math.Log((df[w][true] + alpha) / (df[w][false]*n[true]/n[false] + alpha))
			if math.Abs(r) > bound {
				sum, terms = sum+r, terms+1
			}
		}
		return sum / terms
	}
	list := tagged.Components(nil)
	const part = 4 // the first of document frequencies
	want := list[part].Model.(model.Ratio)
	err := x.c.Store().View(func(s *store.Snapshot) error {
		c := tagged.New(s)
		features := model.NewFeatures(list[:len(list)-1], c.Totals)
		got := make([]float64, len(list)*len(tags))
		var e tagged.Evidence
		for i, d := range texts {
			doc := d.document(x, i)
			set := d.set()
			counted := doc.Counted(set, nil)
			slices.SortFunc(counted.Terms, func(a, b count.TermCount) int { return bytes.Compare(a.Term, b.Term) })
			if err := e.Read(s, c, counted.Terms); err != nil {
				return err
			}
			features.Score(&e.Evidence, len(tags), got)
			for k, tag := range tags {
				if w := ratio(texts, tag, d.words, want.Alpha, want.Bound); math.Abs(got[part*len(tags)+k]-w) > 1e-6 {
					t.Errorf("document %d, %s: %v, want %v", i, tag, got[part*len(tags)+k], w)
				}
			}
			at := count.ClassNamed(c.Sets, set)
			left, ok, err := e.LeaveOut(s, c, &counted, at)
			if err != nil || !ok {
				t.Fatalf("document %d: %t, %v", i, ok, err)
			}
			features.LeaveOut(left, 0, &e.Evidence, got)
			others := slices.Delete(slices.Clone(texts), i, i+1)
			for k, tag := range tags {
				if w := ratio(others, tag, d.words, want.Alpha, want.Bound); math.Abs(got[part*len(tags)+k]-w) > 1e-6 {
					t.Errorf("document %d left out, %s: %v, want %v", i, tag, got[part*len(tags)+k], w)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// Of weights, no sum of the test's own: a document left out scores as one that was forgotten.
	doc := texts[7].document(x, 7)
	before := make([]float64, len(list)*len(tags))
	leftOut := func(forgotten bool) (z []float64) {
		err := x.c.Store().View(func(s *store.Snapshot) error {
			c := tagged.New(s)
			features := model.NewFeatures(list[:len(list)-1], c.Totals)
			var e tagged.Evidence
			terms := doc.Counted("", nil).Terms
			if forgotten {
				err := e.Read(s, c, terms)
				features.Score(&e.Evidence, len(tags), before)
				return err
			}
			set := texts[7].set()
			counted := doc.Counted(set, nil)
			at := count.ClassNamed(c.Sets, set)
			left, _, err := e.LeaveOut(s, c, &counted, at)
			features.LeaveOut(left, 0, &e.Evidence, before)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(before)
	}
	left := leftOut(false)
	if _, err := x.c.Forget(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	for i, z := range leftOut(true) {
		if math.Abs(z-left[i]) > 1e-9 {
			t.Errorf("component and tag %d: %v left out, %v forgotten", i, left[i], z)
		}
	}
}

// A tag is silent until enough answers were right, and then its answers are; Info says how
// many are missing.
func TestSilence(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	options := byHand
	options.Analyzer = "polya-7 channel=off" // chance has more grams to agree with than words
	x := newTagger(t, options)
	learn := func(from, n int) {
		var b classify.Batch
		for i := from; i < from+n; i++ {
			d := text{words: fmt.Sprintf("w%d w%d w%d", rng.IntN(50), rng.IntN(50), rng.IntN(50))}
			if i%5 == 0 {
				d.words += fmt.Sprintf(" flight%d hotel%d train%d", i%3, i%2, i%4)
				d.tags = []string{"travel"}
			} else if i%5 == 1 { // no words of its own
				d.tags = []string{"noise"}
			} else if i == 2 {
				d.tags = []string{"rare"}
			}
			b.Train(d.set(), d.document(x, i))
		}
		if _, err := x.c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if err := x.c.Refit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	of := func(tag string) TagInfo {
		info, err := x.Info()
		if err != nil {
			t.Fatal(err)
		}
		return info.Tags[slices.IndexFunc(info.Tags, func(i TagInfo) bool { return i.Tag == tag })]
	}
	learn(0, 60)
	first, asked := of("travel"), "flight1 hotel0 w3"
	if first.Speaks || *first.Needed < 5 || *first.Needed > 60 || first.Documents != 12 {
		t.Errorf("with 12 examples: %+v", first)
	}
	if r := scores(t, x, asked); r.Scores[0].Tag != "travel" || r.Scores[0].Speaks || len(r.Tags()) != 0 {
		t.Errorf("with 12 examples: %+v", r)
	}
	learn(60, 240)
	later := of("travel")
	if !later.Speaks || *later.Needed != 0 || later.Right < 32 {
		t.Errorf("with 60 examples: %+v", later)
	}
	if r := scores(t, x, asked); !slices.Equal(r.Tags(), []string{"travel"}) || r.Scores[0].Probability < .8 {
		t.Errorf("with 60 examples: %+v", r)
	}
	if r := scores(t, x, "w3 w4"); len(r.Tags()) != 0 {
		t.Errorf("of no tag: %+v", r)
	}
	if r := scores(t, x, "unknown"); len(r.Tags()) != 0 || r.Terms != 0 {
		t.Errorf("of no known term: %+v", r)
	}
	if rare := of("rare"); rare.Speaks || *rare.Needed != 31 {
		t.Errorf("with one example: %+v", rare)
	}
	if noise := of("noise"); noise.Speaks || noise.Needed != nil {
		t.Errorf("%+v", noise)
	}
	// Another that asks for less hears it sooner, of the same calibration.
	lax, err := New(x.c, .5)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := lax.Info(); err != nil || *info.Tags[2].From > *later.From {
		t.Errorf("%+v, %v", info, err)
	}
}

// What is no set of tags is refused, and so are questions about classes.
func TestRefuse(t *testing.T) {
	t.Parallel()
	x := newTagger(t, byHand)
	d := text{"a trip", []string{"b", "a"}}
	d.train(t, x, 1)
	if _, err := x.c.Classify(t.Context(), d.document(x, 1)); !errors.Is(err, classify.ErrHasTags) {
		t.Error(err)
	}
	if _, err := x.c.Train(t.Context(), "ham", d.document(x, 5)); !errors.Is(err, count.ErrInvalid) {
		t.Error(err)
	}
	if _, err := New(x.c, 1); err == nil {
		t.Error("a precision of 1 was accepted")
	}
	path := x.c.Store().Path()
	x.c.Close()
	if _, err := classify.Open(path, classify.Options{}); !errors.Is(err, classify.ErrHasTags) {
		t.Error(err)
	}
	classes := filepath.Join(t.TempDir(), "classes.polya")
	c, err := classify.Open(classes, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := New(c, 0); !errors.Is(err, classify.ErrHasClasses) {
		t.Error(err)
	}
}

// Questions are answered while documents are learned and weights fitted.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	x := newTagger(t, classify.Options{Fitting: classify.FitInCall})
	texts := randomTexts(rand.New(rand.NewPCG(11, 12)), 80)
	texts[0].train(t, x, 0)
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			for i := range texts {
				if k > 0 {
					r, err := x.Score(t.Context(), texts[i].document(x, i))
					if err != nil || len(r.Scores) > 3 || len(r.Scores) > 0 && !(r.Scores[0].Probability >= 0) {
						t.Errorf("%+v, %v", r, err)
					}
				} else if _, err := x.c.Train(t.Context(), texts[i].set(), texts[i].document(x, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// A tag that is renamed, joined with another or deleted leaves the counts that learning the
// documents so would have left.
func TestRename(t *testing.T) {
	t.Parallel()
	texts := randomTexts(rand.New(rand.NewPCG(13, 14)), 60)
	for _, c := range []struct{ from, to string }{{"travel", "trips"}, {"travel", "family"}, {"family", "%, é"}, {"work", ""}, {"work", "work"}} {
		x, want := newTagger(t, byHand), newTagger(t, byHand)
		for i, d := range texts {
			d.train(t, x, i)
			if at := slices.Index(d.tags, c.from); at >= 0 {
				d.tags = slices.Delete(slices.Clone(d.tags), at, at+1)
				if c.to != "" {
					d.tags = append(d.tags, c.to)
				}
			}
			d.train(t, want, i)
		}
		err := MergeClass(t.Context(), x.c.Store(), c.from, c.to)
		if c.to == "" {
			err = DeleteClass(t.Context(), x.c.Store(), c.from)
		}
		if err != nil || dumpOf(t, x, false) != dumpOf(t, want, false) {
			t.Errorf("%q to %q: %v", c.from, c.to, err)
		}
		if _, err := x.c.Store().Check(t.Context(), func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
		if c.from != c.to {
			if err := RenameClass(t.Context(), x.c.Store(), c.from, "other"); !errors.Is(err, store.ErrNoClass) {
				t.Errorf("a second time: %v", err)
			}
		}
	}
}

// Without a full ledger there is no Layer, and documents are not judged.
func TestWithoutLedger(t *testing.T) {
	t.Parallel()
	x := newTagger(t, classify.Options{Store: store.Options{Ledger: count.LedgerDigest}})
	for i, d := range randomTexts(rand.New(rand.NewPCG(7, 8)), 80) {
		d.train(t, x, i)
	}
	if err := x.c.Refit(context.Background()); err != nil {
		t.Fatal(err)
	}
	r := scores(t, x, "travel1 travel2 travel3")
	if r.Scores[0].Tag != "travel" || r.Scores[0].Probability < .5 || r.Scores[0].Speaks {
		t.Errorf("%+v", r)
	}
}

// Damaged bytes of what is kept beside the counts are none.
func FuzzFitted(f *testing.F) {
	x := newTagger(f, classify.Options{Fitting: classify.FitInCall})
	for i, d := range randomTexts(rand.New(rand.NewPCG(9, 9)), 40) {
		d.train(f, x, i)
	}
	var c *tagged.Counts
	x.c.Store().View(func(s *store.Snapshot) error {
		c = tagged.New(s)
		f.Add(s.State(tagged.KeyCalibration), s.State(tagged.KeyLayer))
		return nil
	})
	f.Fuzz(func(t *testing.T, data, layer []byte) {
		fit := tagged.Parse(data, layer)
		if fit == nil {
			return
		}
		p := newPrepared(c, fit, .9)
		var a asking
		a.Rows = []model.Row{{X: 1, Term: []byte("travel1"), Cells: []count.Cell{{Class: 1, DF: 2, TF: 2, W: 9000}}, DF: 2, TF: 2, W: 9000}}
		p.result(&a)
		for i := range fit.Models {
			needed(&fit.Models[i], fit.Documents, .9)
		}
	})
}

// A Tagger does not answer once the context has ended.
func TestTaggerEnds(t *testing.T) {
	t.Parallel()
	tagger := newTagger(t, classify.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tagger.Score(ctx, classify.Document{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Score: %v", err)
	}
	if _, err := tagger.Explain(ctx, classify.Document{}, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Explain: %v", err)
	}
}

// The scores of the Layers reach their own weights: of texts without terms of a channel the characters
// have none, and the weight of the words is fitted.
func TestWeightsOfLayers(t *testing.T) {
	t.Parallel()
	o := byHand
	o.Analyzer = tokenize.DefaultSpec + " channel=off"
	to := newTagger(t, o)
	for i, x := range randomTexts(rand.New(rand.NewPCG(3, 4)), 300) {
		x.train(t, to, i)
	}
	if _, err := to.c.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := to.c.Store().View(func(s *store.Snapshot) error {
		fit, names := tagged.Read(s), model.Stack{Components: tagged.Components(nil)}.ComponentNames()
		words, characters := slices.Index(names, "layer"), slices.Index(names, "character layer")
		for _, m := range fit.Models {
			if !(m.Weights[words] > .5) || m.Weights[characters] != 0 {
				t.Errorf("%s: weights %v and %v", m.Name, m.Weights[words], m.Weights[characters])
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

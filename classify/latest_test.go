package classify

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// dated is a document of a stream.
type dated struct {
	class, text string
	at          time.Time
}

// stream returns two classes of mail, one message an hour. With drift, ham takes up a new
// subject in every hundred messages, of which the words are those of spam too.
func stream(rng *rand.Rand, n int, drift bool) (docs []dated) {
	for i := range n {
		class := []string{"ham", "spam"}[rng.IntN(2)]
		words := []string{fmt.Sprint("own", i)}
		for range 8 + rng.IntN(20) {
			word := fmt.Sprint("w", rng.IntN(60))
			switch {
			case rng.IntN(4) == 0:
				word = fmt.Sprint(class, rng.IntN(60))
			case drift && class == "ham" && rng.IntN(3) == 0:
				word = fmt.Sprint("new", i/100, "x", rng.IntN(20))
			case drift && class == "spam" && rng.IntN(6) == 0:
				word = fmt.Sprint("new", rng.IntN(12), "x", rng.IntN(20))
			}
			words = append(words, word)
		}
		docs = append(docs, dated{class, strings.Join(words, " "), time.Unix(1_700_000_000, 0).Add(time.Duration(i) * time.Hour)})
	}
	return docs
}

// learnDated learns documents at their times, so many in one transaction.
func learnDated(t *testing.T, c *Classifier, docs []dated, group int) {
	t.Helper()
	for part := range slices.Chunk(docs, group) {
		var b Batch
		for _, d := range part {
			doc := c.Document([]byte(d.text))
			doc.Time = d.at
			if err := b.Train(d.class, doc); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
}

// Where mail changes, the calibration says so, and the cut-off for a rate rises; where it does
// not change, the cut-off is about what it is where nothing tells which documents are the
// latest.
func TestLatest(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	const n, rate = 900, .05
	for _, drift := range []bool{false, true} {
		exceeding, caught := map[bool]int{}, map[bool]int{}
		docs := stream(rand.New(rand.NewPCG(3, 4)), n+300, drift)
		for _, known := range []bool{false, true} {
			c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Fitting: FitByHand, Decision: decision.FalsePositiveRate{Positive: "spam", Rate: rate}})
			learned := slices.Clone(docs[:n])
			for i := range learned {
				if !known {
					learned[i].at = time.Unix(1_700_000_000, 0)
				}
			}
			learnDated(t, c, learned, n)
			k := calibrated(t, c)
			classes, err := c.Classes()
			if err != nil {
				t.Fatal(err)
			}
			raised := k.Model(k.Chosen).Tails[classes[count.ClassNamed(classes, "spam")].ID].Raised
			if known && (k.Latest.Documents < n/6 || k.Latest.Documents > n/5) || !known && (k.Latest.Documents != 0 || raised != 0) {
				t.Errorf("drift %v, times known %v: %+v", drift, known, k.Latest)
			}
			if k.Latest.Unlike() != (drift && known) || known && (raised > 1) != drift {
				t.Errorf("drift %v, times known %v: raised by %v, %+v", drift, known, raised, k.Latest)
			}
			for _, d := range docs[n:] {
				if r := ask(t, c, d.text); r.Class == "spam" && !r.Unsure {
					if caught[known]++; d.class != "spam" {
						caught[known]--
						exceeding[known]++
					}
				}
			}
		}
		t.Logf("drift %v: of ham %v, of spam %v", drift, exceeding, caught)
		switch {
		case drift && (exceeding[false] < 20 || 3*exceeding[true] > exceeding[false]): // mail goes on changing
			t.Errorf("with drift %d of the ham were taken for spam, %d where times are known", exceeding[false], exceeding[true])
		case !drift && (exceeding[true] > 12 || caught[true] < caught[false]*9/10):
			t.Errorf("without drift %v of ham, %v of spam", exceeding, caught)
		}
	}
}

// The same documents of the same times give the same calibration, whatever the order in
// which they were learned and whatever was learned meanwhile and forgotten.
func TestLatestIsOfTheLedger(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	docs := stream(rand.New(rand.NewPCG(5, 6)), 400, true)
	var want []byte
	for seed := range uint64(3) {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Fitting: FitByHand})
		rng := rand.New(rand.NewPCG(seed, 7))
		train(t, c, "ham", "first")
		train(t, c, "spam", "second")
		learned := slices.Clone(docs)
		rng.Shuffle(len(learned), func(i, j int) { learned[i], learned[j] = learned[j], learned[i] })
		learnDated(t, c, learned, 1+rng.IntN(len(docs)))
		for _, text := range []string{"first", "second"} {
			if _, err := c.Forget(ctx, c.Document([]byte(text))); err != nil {
				t.Fatal(err)
			}
		}
		if k := calibrated(t, c); k.Latest.Documents == 0 {
			t.Fatalf("%+v", k.Latest)
		}
		got := keptBytes(t, c)
		if want == nil {
			want = got
		}
		if string(got) != string(want) {
			t.Errorf("order %d gives another calibration", seed)
		}
	}
}

// The latest documents are scored as by a database that has not learned them: exactly by
// what their words say, nearly by how many words there are.
func TestEarlierScores(t *testing.T) {
	t.Parallel()
	docs := stream(rand.New(rand.NewPCG(8, 9)), 300, true)
	all := openTest(t, filepath.Join(t.TempDir(), "all.polya"), Options{Fitting: FitByHand})
	learnDated(t, all, docs, len(docs))
	var loo *looScores
	err := all.Store().View(func(s *store.Snapshot) error {
		loo = newLooScores(s, totalsOf(s), singles())
		return loo.gather(ctx, 1000, nil, false)
	})
	if err != nil || len(loo.latest.then) != 60 {
		t.Fatalf("%d documents, %v", len(loo.latest.then), err)
	}
	before := openTest(t, filepath.Join(t.TempDir(), "before.polya"), Options{Fitting: FitByHand})
	learnDated(t, before, docs[:240], 240)
	scores := map[count.DocID][]float64{}
	for _, d := range loo.latest.then {
		scores[d.id] = d.scores
	}
	exact := 0
	at, _ := loo.counted()
	err = before.Store().View(func(s *store.Snapshot) error {
		features := model.NewFeatures(loo.components, totalsOf(s))
		for _, d := range docs[240:] {
			doc := before.Document([]byte(d.text))
			e := model.Evidence{FieldsOf: tagged.FieldsOf}
			if err := readTerms(&e, s, doc.Bag, false); err != nil {
				return err
			}
			want := make([]float64, len(loo.components)*2)
			features.Score(&e, 2, want)
			for _, m := range at {
				component := loo.components[m]
				tolerance := .3 // Bernoulli's, which counts terms that the document lacks
				if _, ratio := component.Model.(model.Ratio); ratio {
					tolerance = 1e-9
					exact++
				}
				got := scores[doc.ID][2*m : 2*m+2]
				if difference := got[1] - got[0]; !near(difference, want[2*m+1]-want[2*m], tolerance) {
					t.Errorf("%s: %v, want %v", component.Model.Name(), got, want[2*m:2*m+2])
				}
			}
		}
		return nil
	})
	if err != nil || exact == 0 {
		t.Errorf("%d exact, %v", exact, err)
	}
}

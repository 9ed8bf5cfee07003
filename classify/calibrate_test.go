package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// lessons are texts of three classes that share most words; the third is rare.
func lessons(n int) (classes, texts []string) {
	rng := rand.New(rand.NewPCG(31, 32))
	for i := range n {
		class := []string{"m", "z", "m", "z", "a"}[i%5]
		words := []string{fmt.Sprint("own", i)}
		for range 3 + rng.IntN(12) {
			word := fmt.Sprint("w", rng.IntN(25))
			if rng.IntN(4) == 0 {
				word = class + fmt.Sprint(rng.IntN(6))
			}
			words = append(words, slices.Repeat([]string{word}, 1+rng.IntN(2)*rng.IntN(3))...)
		}
		classes, texts = append(classes, class), append(texts, strings.Join(words, " "))
	}
	return classes, texts
}

// learn trains the lessons at the given places, so many in one transaction.
func learn(t testing.TB, c *Classifier, order []int, group int, classes, texts []string) {
	t.Helper()
	for part := range slices.Chunk(order, group) {
		var b Batch
		for _, i := range part {
			if err := b.Train(classes[i], c.Document([]byte(texts[i]))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
}

// taught opens a database that has learned n lessons.
func taught(t testing.TB, n int, o Options) *Classifier {
	t.Helper()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
	classes, texts := lessons(n)
	learn(t, c, numbers(n), n, classes, texts)
	return c
}

// numbers are 0 to n-1.
func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// kept is what the database keeps of the calibration.
func keptBytes(t testing.TB, c *Classifier) (data []byte) {
	t.Helper()
	err := c.Store().View(func(s *store.Snapshot) error {
		data = s.State(keyCalibration)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func calibrated(t testing.TB, c *Classifier, models ...Model) *calibration.Calibration {
	t.Helper()
	k, err := c.Calibrate(ctx, 0, models...)
	if err != nil || k == nil {
		t.Fatalf("%v, %v", k, err)
	}
	return k
}

// The same documents, in whatever order and grouping they were learned, give
// the same bytes. The classes are first used in the same order, which gives them
// their ids.
func TestCalibrationIsDeterministic(t *testing.T) {
	t.Parallel()
	const n = 60
	classes, texts := lessons(n)
	rng := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for _, group := range []int{1, 7, n, n} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
		order := numbers(n)
		later := order[5:] // one of each class comes first
		rng.Shuffle(len(later), func(i, j int) { later[i], later[j] = later[j], later[i] })
		learn(t, c, order[:5], 1, classes, texts)
		learn(t, c, later, group, classes, texts)
		calibrated(t, c, model.Bernoulli{}, model.Complement{})
		got := keptBytes(t, c)
		if want == nil {
			want = got
		}
		if len(got) == 0 || string(got) != string(want) {
			t.Fatalf("%d at a time:\n%s\nwant\n%s", group, got, want)
		}
	}
}

// singles returns the default Stack, and Stacks of one model.
func singles() []model.Stack {
	return []model.Stack{
		defaultStack(), model.Single(model.Ratio{}), model.Single(model.Normalised{}), model.Single(model.Multinomial{}), model.Single(model.Bernoulli{}),
	}
}

// Leave-one-out scores are those that documents get from the
// database when they have really been forgotten, by each component alone.
func TestJudgeForgets(t *testing.T) {
	t.Parallel()
	const n = 60
	c := taught(t, n, Options{})
	classes, texts := lessons(n)
	stacks := append(singles(), model.Single(model.DCM{}), model.Single(model.Complement{}), testStack())
	var scored map[count.DocID][]float64
	var components []model.Component
	score := func(s *store.Snapshot) error {
		for i := range stacks {
			stacks[i] = c.dcm.fill(stacks[i], s, s.Classes(), true)
		}
		j := newLooScores(s, totalsOf(s), stacks)
		scored, components = map[count.DocID][]float64{}, j.components
		return s.Learned(nil, func(d *count.Document) error {
			if err := j.add(d, count.ClassNamed(j.t.Classes, d.Class)); err != nil {
				return err
			}
			if len(j.docs) != len(scored)+1 || j.t.Classes[j.docs[len(scored)].label].Name != d.Class {
				t.Errorf("document %s was not scored", d.ID)
			}
			scored[d.ID] = j.docs[len(j.docs)-1].scores
			return nil
		})
	}
	if err := c.Store().View(score); err != nil {
		t.Fatal(err)
	}
	if len(scored) != n {
		t.Fatalf("%d documents scored", len(scored))
	}
	for i := range 15 {
		doc := c.Document([]byte(texts[i]))
		if _, err := c.Forget(ctx, doc); err != nil {
			t.Fatal(err)
		}
		err := c.Store().View(func(s *store.Snapshot) error {
			var e model.Evidence
			if err := readTerms(&e, s, doc.Bag, true); err != nil {
				return err
			}
			for m, component := range components {
				want := make([]float64, 3)
				component.Model.Prepare(totalsOf(s)).Score(&e, want)
				for class, w := range want {
					w /= math.Pow(float64(len(e.Rows)), component.Gamma)
					if got := scored[doc.ID][m*3+class]; !near(got, w, 1e-8) {
						t.Errorf("document %d, %s, class %d: %v, want %v", i, component.Model.Name(), class, got, w)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Train(ctx, classes[i], doc); err != nil {
			t.Fatal(err)
		}
	}
}

// The loss of a model is the mean of -log p of the documents' classes, each half
// of them scored by what was fitted to the other.
func TestLossIsOfTheOtherHalf(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	k := calibrated(t, c, model.Ratio{}, model.Normalised{}, model.Multinomial{}, model.Bernoulli{})
	if k.Documents != 60 || k.Sample != 60 || k.Model(k.Chosen) == nil {
		t.Errorf("%+v", k)
	}
	err := c.Store().View(func(s *store.Snapshot) error {
		j := newLooScores(s, totalsOf(s), singles())
		j.whole = true
		if err := j.score(context.Background(), 1, 0, false); err != nil {
			return err
		}
		j.settle()
		j.drop(func(c model.Component) bool { return c.ReadsFields() && !c.Fields().IsChannel() })
		for i, stack := range j.stacks {
			var answers [][]float64 // logarithms
			var labels []int
			seen := k.Model(stack.Label).Seen
			for half := range 2 {
				all := j.sample(j.docs, i)
				var byDefault []float64
				for _, component := range stack.Shrunk(j.t).Components {
					byDefault = append(byDefault, component.Weight)
				}
				weights, bias := all.Half(half).Weights(byDefault)
				for d, scores := range all.Scores {
					if d%2 == half {
						continue
					}
					z := make([]float64, 3)
					for class := range 3 {
						docs := float64(j.t.Classes[class].Docs)
						if class == all.Labels[d] {
							docs-- // its own
						}
						z[class] = .5*math.Log((docs+1)/63) + bias[class]
						for m, w := range weights {
							z[class] += w * scores[m*3+class]
						}
					}
					fit.Shrinkage{Seen: seen}.Apply(z, all.docs[d].known) // its own test is in package fit
					answers, labels = append(answers, z), append(labels, all.Labels[d])
				}
			}
			m, sum := k.Model(stack.Label), 0.
			for d, z := range answers {
				sum -= math.Log(shrunk(z, m.Variance)[labels[d]])
			}
			divergence := 0. // of answers of a scale that is a standard deviation too small
			for _, z := range answers {
				if p := slices.Max(shrunk(z, 0)); p > .5 {
					q := 1 / (1 + math.Pow((1-p)/p, 1-math.Sqrt(m.Variance)))
					divergence += p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q))
				}
			}
			// The two fits begin elsewhere and end within their tolerance.
			if !near(m.Loss, sum/60, 1e-6) || !near(divergence, .5, 1e-3) {
				t.Errorf("%s: %+v, want a loss of %v; divergence %v", stack.Label, m, sum/60, divergence)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// shrunk returns the probabilities of classes with these logarithms, where the odds o
// against the most probable one become (1 - v log o)^(-1/v).
func shrunk(z []float64, v float64) []float64 {
	p, sum := make([]float64, len(z)), 0.
	for c := range z {
		p[c] = math.Exp(z[c])
		sum += p[c]
	}
	top := slices.Index(p, slices.Max(p))
	o := (sum - p[top]) / p[top]
	less := o
	if v > 0 && o < 1 {
		less = math.Pow(1-v*math.Log(o), -1/v)
	}
	rest := sum - p[top]
	for c := range p {
		p[c] *= less / (1 + less) / rest
	}
	p[top] = 1 / (1 + less)
	return p
}

// A calibrated classifier answers by what was fitted.
func TestCalibratedAnswer(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{Model: model.Normalised{}})
	k := calibrated(t, c)
	m := k.Model(model.Normalised{}.Name())
	doc := c.Document([]byte("m1 m2 w3 w4 z1 unknown"))
	err := c.Store().View(func(s *store.Snapshot) error {
		var e model.Evidence
		if err := readTerms(&e, s, doc.Bag, false); err != nil {
			return err
		}
		scores := make([]float64, 3)
		model.Normalised{}.Prepare(totalsOf(s)).Score(&e, scores)
		for i, class := range s.Classes() {
			scores[i] = m.Weights[0]*scores[i] + m.Bias[class.ID] + .5*math.Log(float64(class.Docs+1)/63)
		}
		want := shrunk(scores, m.Variance)
		r := ask(t, c, "m1 m2 w3 w4 z1 unknown")
		for i, class := range s.Classes() {
			if got := r.ProbabilityOf(class.Name); !near(got, want[i], 1e-8) {
				t.Errorf("class %s: %v, want %v", class.Name, got, want[i])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Little is too little: few documents, one class, or documents that the ledger
// does not have.
func TestTooFewToCalibrate(t *testing.T) {
	t.Parallel()
	none := func(what string, c *Classifier) {
		t.Helper()
		k, err := c.Calibrate(ctx, 0)
		if k != nil || err != nil {
			t.Errorf("%s: %+v, %v", what, k, err)
		}
		if k, err := c.Calibration(); k != nil || err != nil || keptBytes(t, c) != nil {
			t.Errorf("%s: kept %+v, %v", what, k, err)
		}
		if err := c.Refit(ctx); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if r := ask(t, c, "m1 w2"); math.IsNaN(r.Probability) {
			t.Errorf("%s: %+v", what, r)
		}
	}
	none("few documents", taught(t, sampleFewest-1, Options{}))
	one := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	_, texts := lessons(40)
	trainAll(t, one, []string{"m"}, texts)
	none("one class", one)
	alone := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint("class", i))
	}
	trainAll(t, alone, names, texts)
	none("classes of one document", alone)
	path := filepath.Join(t.TempDir(), "test.polya")
	digests := openTest(t, path, Options{Store: store.Options{Ledger: count.LedgerDigest}})
	for i := range 5 { // so few at a time that none was calibrated
		trainAll(t, digests, []string{"m", "z"}, texts[3*i:3*i+3])
	}
	digests.Close()
	digests = openTest(t, path, Options{})
	trainAll(t, digests, []string{"m", "z"}, texts[15:25])
	none("digests", digests)
}

// A calibration that comes to nothing is not tried again at every training, but
// is when there are half as many documents more.
func TestTriedInVain(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	tried := func() (data []byte) {
		t.Helper()
		err := c.Store().View(func(s *store.Snapshot) error {
			data = s.State(keyTried)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	large := c.Document([]byte("many"))
	for i := range 31 {
		// One class has documents without terms, which say nothing.
		doc := Document{ID: large.ID, Bag: large.Bag}
		doc.ID[15] = byte(i)
		class := "large"
		if i >= classFewest {
			class, doc.Bag = "empty", nil
		}
		if _, err := c.Train(ctx, class, doc); err != nil {
			t.Fatal(err)
		}
		want := ""
		switch {
		case i+1 > 30:
			want = string([]byte{0, 0, 0, 0, 0, 0, 0, 31})
		case i+1 >= sampleFewest:
			want = string([]byte{0, 0, 0, 0, 0, 0, 0, 20})
		}
		if got := tried(); string(got) != want {
			t.Fatalf("after %d documents: %v, want %v", i+1, got, []byte(want))
		}
	}
}

// The models of a calibration are the default and those asked for; the ranking is by loss.
func TestRanking(t *testing.T) {
	t.Parallel()
	k := calibrated(t, taught(t, 60, Options{}), model.Complement{})
	var names []string
	for _, m := range k.Models {
		names = append(names, m.Name)
		if !(m.Loss >= 0) || math.IsInf(m.Loss, 0) {
			t.Errorf("%s has a loss of %v", m.Name, m.Loss)
		}
	}
	if !slices.Equal(names, []string{stackName, "complement"}) {
		t.Errorf("calibrated %v", names)
	}
	if ranking := k.Ranking(); len(ranking) != len(names) || !slices.IsSortedFunc(ranking, func(a, b calibration.Model) int {
		return int(math.Copysign(1, a.Loss-b.Loss))
	}) {
		t.Errorf("ranking %+v", ranking)
	}
}

// Models without weights of their own are not scored as if they were others.
func TestAutoIsNotCalibrated(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	k := calibrated(t, c, Auto{})
	if len(k.Models) != 1 {
		t.Errorf("%d models", len(k.Models))
	}
}

// What the state holds that is no calibration of ours is as if it were not
// there, and is replaced.
func TestForeignCalibration(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	good := string(keptBytes(t, c))
	text := "m1 m2 w3 w4 z1"
	want := ask(t, c, text)
	for _, data := range []string{
		"garbage", "null", "[]", "{}", `{"Version":1}`, `{"Version":99,"Chosen":"stack"}`, `{"Version":1,"Chosen":"nonsense","Sample":50}`,
		`{"Version":1,"Chosen":"stack","Models":[{"Name":"stack","Weights":[1,2]}]}`,
		`{"Version":1,"Chosen":"stack","Models":[{"Name":"stack","Weights":[-1,0,0,0,0,0,0,0]}]}`,
		`{"Version":1,"Chosen":"stack","Models":[{"Name":"stack","Weights":[1e999]}]}`,
		`{"Version":1,"Chosen":"stack","Models":[{"Name":"stack","Weights":[1,1,1,1,1,1,1,1],"Tails":{"0":{"Documents":900,"Ranks":[0,1,2],"LogOdds":[1]}}}]}`,
		`{"Version":1,"Chosen":"stack","Models":[{"Name":"stack","Weights":[1,1,1,1,1,1,1,1],"Bias":{"x":1}}]}`,
		strings.Replace(good, `"Version":1`, `"Version":0`, 1), good[:len(good)/2],
	} {
		if err := c.Store().PutState(map[string][]byte{keyCalibration: []byte(data)}); err != nil {
			t.Fatal(err)
		}
		for _, m := range []Model{Auto{}, model.Multinomial{}} {
			c.options.Model, c.prepared = m, nil
			c.options.Decision = decision.FalsePositiveRate{Positive: "m", Rate: .01}
			r := ask(t, c, text)
			if math.IsNaN(r.Probability) || len(r.Posterior) != 3 {
				t.Errorf("%.40s: %+v", data, r)
			}
			if _, err := c.Explain(ctx, c.Document([]byte(text))); err != nil {
				t.Errorf("%.40s: %v", data, err)
			}
		}
		c.options.Decision = decision.MostProbable{}
	}
	c.options.Model = Auto{}
	calibrated(t, c)
	if r := ask(t, c, text); !slices.Equal(r.Posterior, want.Posterior) {
		t.Errorf("%+v, was %+v", r, want)
	}
}

// A calibration of an earlier program that chose another model is replaced by the next training.
func TestOtherModelWasChosen(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	k := *calibrated(t, c, model.Multinomial{})
	k.Chosen = model.Multinomial{}.Name()
	k.Models = slices.Clone(k.Models)
	k.Models[0].Tails, k.Models[0].Zones, k.Models[0].Bounds = nil, nil, nil
	data, err := k.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Store().PutState(map[string][]byte{keyCalibration: data}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Train(ctx, "m", c.Document([]byte("m1 m2 one more"))); err != nil {
		t.Fatal(err)
	}
	now, err := c.Calibration()
	if err != nil || now == nil || now.Chosen != stackName || len(now.Model(stackName).Tails) == 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

// What was fitted is of classes by their ids: a new name keeps it, another class
// of the old name has none, and a new class begins without.
func TestCalibrationFollowsClasses(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	k := calibrated(t, c)
	text := "m1 m2 w3 w4 z1"
	before := ask(t, c, text)
	if err := c.Store().RenameClass("m", "zz"); err != nil {
		t.Fatal(err)
	}
	after := ask(t, c, text)
	for _, name := range []string{"a", "z"} {
		if math.Abs(after.ProbabilityOf(name)-before.ProbabilityOf(name)) > 1e-12 {
			t.Errorf("%s: %v, was %v", name, after.ProbabilityOf(name), before.ProbabilityOf(name))
		}
	}
	if math.Abs(after.ProbabilityOf("zz")-before.ProbabilityOf("m")) > 1e-12 {
		t.Errorf("the renamed class: %v, was %v", after.ProbabilityOf("zz"), before.ProbabilityOf("m"))
	}
	bias := func(name string) (own, fitted float64) {
		t.Helper()
		err := c.Store().View(func(s *store.Snapshot) error {
			kept := c.calibrations.read(s)
			stack := applied(kept, defaultStack(), s.Classes())
			at := slices.IndexFunc(s.Classes(), func(k *count.Class) bool { return k.Name == name })
			own, fitted = stack.Bias[at], k.Model(k.Chosen).Bias[s.Classes()[at].ID]
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return own, fitted
	}
	if own, fitted := bias("zz"); own != fitted || own == 0 {
		t.Errorf("the renamed class has a bias of %v, want %v", own, fitted)
	}
	train(t, c, "m", "m1 something new")
	if own, _ := bias("m"); own != 0 {
		t.Errorf("a new class has a bias of %v", own)
	}
	if err := c.Store().DeleteClass(context.Background(), "zz"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "z"} {
		if own, fitted := bias(name); own != fitted || own == 0 {
			t.Errorf("class %s has a bias of %v, want %v", name, own, fitted)
		}
	}
	r := ask(t, c, text)
	if len(r.Posterior) != 3 || r.ProbabilityOf("zz") != 0 || math.IsNaN(r.Probability) {
		t.Errorf("%+v", r)
	}
}

// A context that ends, ends the walk over documents.
func TestCalibrateCancelled(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	before := keptBytes(t, c)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Calibrate(gone, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	classes, texts := lessons(90)
	learn(t, c, numbers(90)[60:66], 6, classes, texts)
	if err := c.Refit(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := keptBytes(t, c); string(got) != string(before) {
		t.Errorf("the calibration has changed to %s", got)
	}
	if err := c.Refit(ctx); err != nil || string(keptBytes(t, c)) == string(before) {
		t.Errorf("%v, or nothing was calibrated anew", err)
	}
}

// A database that is opened for reading answers as before, and calibrates
// nothing.
func TestCalibrationReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	c := openTest(t, path, Options{})
	classes, texts := lessons(60)
	learn(t, c, numbers(60), 60, classes, texts)
	calibrated(t, c)
	want, kept := ask(t, c, texts[3]), keptBytes(t, c)
	c.Close()
	c = openTest(t, path, Options{Store: store.Options{ReadOnly: true}})
	if got := ask(t, c, texts[3]); !slices.Equal(got.Posterior, want.Posterior) {
		t.Errorf("%+v, was %+v", got, want)
	}
	k, err := c.Calibration()
	if data, _ := k.Marshal(); err != nil || string(data) != string(kept) {
		t.Errorf("read %s, %v, want %s", data, err, kept)
	}
	if _, err := c.Calibrate(ctx, 0); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("%v", err)
	}
}

// The classifier's own model has tails, so that a rate can be kept.
func TestRateOfAnyModel(t *testing.T) {
	t.Parallel()
	classes, texts := lessons(300)
	for _, m := range []Model{Auto{}, model.Multinomial{}, model.Complement{}, defaultStack(), model.Ratio{}} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Model: m, Decision: decision.FalsePositiveRate{Positive: "z", Rate: .1}})
		learn(t, c, numbers(200), 200, classes, texts)
		said, wrong, others := 0, 0, 0
		for i := 200; i < 300; i++ {
			r := ask(t, c, texts[i])
			if r.Reason == decision.UnknownRate {
				t.Fatalf("%s: %+v", m.Name(), r)
			}
			if classes[i] != "z" {
				others++
			}
			if r.Class == "z" {
				said++
				if classes[i] != "z" {
					wrong++
				}
			}
		}
		// Of 60 documents 6 are expected; more than 14 would be by chance once in 1,000 times.
		if said < 10 || wrong > 14 {
			t.Errorf("%s: z was said %d times, wrongly of %d in %d", m.Name(), said, wrong, others)
		}
	}
}

// Whatever the number of classes, a sample is large enough to be used, and its
// scores have room.
func TestSampleSize(t *testing.T) {
	t.Parallel()
	var classes []*count.Class
	for n := 1; n <= 20_000; n++ {
		classes = append(classes, &count.Class{Docs: 2})
		size := sampleSize(n)
		if n%97 != 1 {
			continue
		}
		if least := fewest(classes); size < least || least < sampleFewest || size > sampleMost || (size > 2*sampleFewest && size*min(n, shortlisted) > sampleCells) {
			t.Fatalf("%d classes: a sample of %d, at least %d", n, size, least)
		}
	}
}

// readTerms looks up the terms of bag.
func readTerms(e *model.Evidence, s *store.Snapshot, bag *tokenize.Bag, levels bool) error {
	e.Terms, e.FieldsOf = appendTerms(nil, bag), tagged.FieldsOf
	return e.ReadTerms(s, levels)
}

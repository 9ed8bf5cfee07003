package classify

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// rowOf is a document without words, of attributes given as name, value, name,
// value, … An id makes it one of its own.
func rowOf(t testing.TB, id int, pairs ...any) Document {
	t.Helper()
	var d Document
	binary.BigEndian.PutUint64(d.ID[:], uint64(id)+1)
	for i := 0; i < len(pairs); i += 2 {
		a := count.Attribute{Name: pairs[i].(string)}
		switch v := pairs[i+1].(type) {
		case string:
			a.Kind, a.Category = count.Category, v
		case bool:
			if a.Kind = count.YesNo; v {
				a.Number = 1
			}
		case float64:
			a.Kind, a.Number = count.Real, v
		case int:
			a.Kind, a.Number = count.Real, float64(v)
		}
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// tableCase is a worked example of a table, with prior times likelihood written out
// as its source has them, the classes in order of name.
type tableCase struct {
	source string
	model  model.Attributes
	names  []string
	rows   []string // class, then the values; "?" is missing, a number a real
	ask    string
	prior  []float64 // nil is logPrior
	want   []float64
}

// fifteen are the rows of Li Hang, "Statistical Learning Methods", 2012, example 4.1.
var fifteen = strings.Split("-1 .1 S|-1 .1 M|1 .1 M|1 .1 S|-1 .1 S|-1 .2 S|-1 .2 M|1 .2 M|1 .2 L|1 .2 L|1 .3 L|1 .3 M|1 .3 M|1 .3 L|-1 .3 L", "|")

// animals are those of Tan, Steinbach and Kumar, "Introduction to Data Mining", 2005,
// section 5.3: gives birth, can fly, lives in water, has legs.
var animals = strings.Split("mammal yes no no yes|other no no no no|other no no yes no|mammal yes no yes no|other no no sometimes yes|"+
	"other no no no yes|mammal yes yes no yes|other no yes no yes|mammal yes no no yes|other yes no yes no|"+
	"other no no sometimes yes|other no no sometimes yes|mammal yes no no yes|other no no yes no|other no no sometimes yes|"+
	"other no no no yes|mammal no no no yes|other no yes no yes|mammal yes no yes no|other no yes no yes", "|")

var tableCases = []tableCase{
	{
		source: "Li 2012, example 4.1, maximum likelihood",
		model:  model.Attributes{Alpha: 1e-9}, // maximum likelihood, as the limit
		names:  []string{"X1", "X2"}, rows: fifteen, ask: ".2 S",
		prior: []float64{6. / 15, 9. / 15},
		want:  []float64{1. / 15, 1. / 45},
	},
	{
		// The book prints 0.0610 and 0.0327.
		source: "Li 2012, example 4.2, add one",
		model:  model.Attributes{Alpha: 1},
		names:  []string{"X1", "X2"}, rows: fifteen, ask: ".2 S",
		want: []float64{7. / 17 * 3 / 9 * 4 / 9, 10. / 17 * 4 / 12 * 2 / 12},
	},
	{
		// The book prints 0.021 and 0.0027 (with 0.06 and 0.0042 for the factors).
		source: "Tan 2005, mammals",
		model:  model.Attributes{Alpha: 1e-9}, // maximum likelihood, as the limit
		names:  []string{"birth", "fly", "water", "legs"}, rows: animals, ask: "yes no yes no",
		prior: []float64{7. / 20, 13. / 20},
		want:  []float64{7. / 20 * 6 / 7 * 6 / 7 * 2 / 7 * 2 / 7, 13. / 20 * 1 / 13 * 10 / 13 * 3 / 13 * 4 / 13},
	},
	{
		// Names by last letter and first vowel, add one: Steven is n, e. Counted by
		// hand: of 4 men 3 end in n and 2 have e first, of 3 women none and 1; the
		// last letters are n, k, a, h, the vowels e, a.
		source: "names by last letter and first vowel",
		model:  model.Attributes{Alpha: 1},
		names:  []string{"last", "vowel"},
		rows:   strings.Split("m n e|m n e|m n a|m k a|w a a|w h a|w a e", "|"), ask: "n e",
		want: []float64{5. / 9 * (3 + 1) / (4 + 4) * (2 + 1) / (4 + 2), 4. / 9 * (0 + 1) / (3 + 4) * (1 + 1) / (3 + 2)},
	},
}

// parseRow makes a document of values; one with a leading point is a category that
// looks like a number.
func parseRow(t testing.TB, id int, names []string, values []string) Document {
	var pairs []any
	for i, v := range values {
		var x float64
		switch {
		case v == "?":
			continue
		case v[0] != '.' && func() bool { n, _ := fmt.Sscanf(v, "%g", &x); return n == 1 }():
			pairs = append(pairs, names[i], x)
		default:
			pairs = append(pairs, names[i], v)
		}
	}
	return rowOf(t, id, pairs...)
}

// scoresOf returns what the model gives each class for doc, prior included.
func scoresOf(t testing.TB, c *Classifier, doc Document) (scores []float64) {
	t.Helper()
	err := c.view(func(s *store.Snapshot, p *prepared) error {
		var q question
		if err := q.ask(s, p, &doc); err != nil {
			return err
		}
		scores = slices.Clone(q.scores)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

func TestTables(t *testing.T) {
	t.Parallel()
	for _, tt := range tableCases {
		t.Run(tt.source, func(t *testing.T) {
			o := Options{Raw: true, Model: tt.model}
			given := map[string]float64{}
			classes := map[string]bool{}
			for _, row := range tt.rows {
				classes[strings.Fields(row)[0]] = true
			}
			for i, name := range slices.Sorted(maps.Keys(classes)) {
				if tt.prior != nil {
					given[name] = tt.prior[i]
				}
			}
			o.Decision = decision.MostProbable{Prior: decision.Prior{Given: given}}
			c := openTest(t, filepath.Join(t.TempDir(), "db"), o)
			for i, row := range tt.rows {
				f := strings.Fields(row)
				if _, err := c.Train(context.Background(), f[0], parseRow(t, i, tt.names, f[1:])); err != nil {
					t.Fatal(err)
				}
			}
			scores := scoresOf(t, c, parseRow(t, 999, tt.names, strings.Fields(tt.ask)))
			for k, want := range tt.want {
				// A variance has realFloor of that of all added, which six deviations
				// away is a millionth.
				if got := math.Exp(scores[k]); !(math.Abs(got-want) <= 1e-5*want) {
					t.Errorf("class %d: %v, want %v", k, got, want)
				}
			}
		})
	}
}

// The scores are those of scikit-learn 1.2.1, CategoricalNB(alpha=…), _joint_log_likelihood, with priors 4/13, 5/13, 4/13, which
// are (D_c + 1) / (D + C).
func TestAttributesAsInScikitLearn(t *testing.T) {
	t.Parallel()
	categories := [][2]int{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 0}, {0, 2}, {1, 0}, {1, 1}, {0, 1}}
	classes := strings.Split("aaabbbbccc", "")
	learnAll := func(m model.Attributes, doc func(i int) Document) *Classifier {
		c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true, Model: m})
		for i, class := range classes {
			if _, err := c.Train(context.Background(), class, doc(i)); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	check := func(c *Classifier, doc Document, tolerance float64, want ...float64) {
		t.Helper()
		for k, got := range scoresOf(t, c, doc) {
			if !(math.Abs(got-want[k]) <= tolerance*max(1, math.Abs(want[k]))) {
				t.Errorf("class %d: %.17g, want %.17g", k, got, want[k])
			}
		}
	}
	both := func(x, y any) Document { return rowOf(t, 999, "x", x, "y", y) }
	name := func(i int) string { return fmt.Sprint("v", i) }
	asCategories := func(i int) Document {
		return rowOf(t, i, "x", name(categories[i][0]), "y", name(categories[i][1]))
	}
	add1 := learnAll(model.Attributes{Alpha: 1}, asCategories)
	check(add1, both("v0", "v1"), 1e-12, -2.5649493574615367, -4.154184562578118, -2.970414465569701)
	check(add1, both("v2", "v2"), 1e-12, -4.762173934797756, -2.362425093350063, -4.762173934797756)
	add03 := learnAll(model.Attributes{Alpha: .3}, asCategories)
	check(add03, both("v0", "v1"), 1e-12, -2.2347898567426396, -5.075590395119043, -2.805334715210252)
	check(add03, both("v2", "v2"), 1e-12, -6.308553711264718, -2.10715026385306, -6.308553711264718)
}

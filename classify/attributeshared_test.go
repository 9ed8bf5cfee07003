package classify

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// One variance for all classes is linear discriminant analysis. The numbers were printed
// by scikit-learn 1.2.1:
//
//	X = np.array([1, 2, 4, 3, 9.]).reshape(-1, 1); y = np.array([0, 0, 0, 1, 1])
//	m = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)  # priors .6 and .4
//	m.covariance_, m.predict_log_proba(np.array([[2.5], [6.], [20.]]))
func TestSharedVarianceIsLDA(t *testing.T) {
	t.Parallel()
	c := twoClasses(t, model.Attributes{Density: model.Gaussian, Shared: true}, count.Real, map[string][]float64{"a": {1, 2, 4}, "b": {3, 9}})
	for x, want := range map[float64][2]float64{
		2.5: {-.15970611893416675, -1.9132104427286059},
		6:   {-1.370411087167658, -.29303305802092106},
		20:  {-12.40091155576837, -4.1148445608207875e-06},
	} {
		got := densities(t, c, count.Real, x)
		odds := math.Log(.6/.4) + got[0] - got[1]
		if !near(odds, want[0]-want[1], 1e-7) { // realFloor widens the variance by 1e-9
			t.Errorf("%v: log-odds %v, want %v", x, odds, want[0]-want[1])
		}
		if density := math.Log(gaussian(x, 7./3, 68./15)); !near(got[0], density, 1e-7) { // covariance_ is 4.5333
			t.Errorf("%v: density %v, want %v", x, got[0], density)
		}
	}
	// The sample's variance divides by 5 less 2 classes.
	c = twoClasses(t, model.Attributes{Density: model.SampleGaussian, Shared: true}, count.Real, map[string][]float64{"a": {1, 2, 4}, "b": {3, 9}})
	if got, want := densities(t, c, count.Real, 5)[1], math.Log(gaussian(5, 6, 68./9)); !near(got, want, 1e-7) {
		t.Errorf("sample: %v, want %v", got, want)
	}
}

// The predictive density with one precision for all classes, by numerical integration
// over the precision and over both means (SciPy 1.10.1's quad) of the densities of all
// numbers, with the next and without:
//
//	prior of λ: gamma(1/2, scale=1/(7.76/2)), of each mean: norm(3.8, 1/√λ)
func TestSharedStudent(t *testing.T) {
	t.Parallel()
	c := twoClasses(t, model.Attributes{Shared: true}, count.Real, map[string][]float64{"a": {1, 2, 4}, "b": {3, 9}})
	for x, want := range map[float64][2]float64{
		2.5: {-1.960753775627957, -2.5177072839107466},
		10:  {-4.731226533219778, -3.353626250206813},
	} {
		got := densities(t, c, count.Real, x)
		if !near(got[0], want[0], 1e-8) || !near(got[1], want[1], 1e-8) {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
}

// With one class the shared variance is its own, for every density.
func TestSharedWithOneClass(t *testing.T) {
	t.Parallel()
	values := map[string][]float64{"a": {1, 2, 4, 9}}
	for d := model.StudentT; d <= model.SampleGaussian; d++ {
		own := densities(t, twoClasses(t, model.Attributes{Density: d}, count.Real, values), count.Real, 3)
		shared := densities(t, twoClasses(t, model.Attributes{Density: d, Shared: true}, count.Real, values), count.Real, 3)
		if !near(own[0], shared[0], 1e-12) {
			t.Errorf("%v: %v, want %v", d, shared[0], own[0])
		}
	}
}

// Unequal Dirichlet parameters: the prior of a category is its share in all classes, and
// the prediction that of a Dirichlet prior with these parameters.
func TestProportionalPrior(t *testing.T) {
	t.Parallel()
	counts := map[string][]uint64{"a": {6, 1, 1}, "b": {0, 2, 2}}
	const alpha = .5
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true, Model: model.Attributes{Alpha: alpha, Proportional: true}})
	id := 0
	for _, class := range []string{"a", "b"} {
		for v, n := range counts[class] {
			for range n {
				d := rowOf(t, id, "v", fmt.Sprint("v", v), "yes", v > 0)
				if _, err := c.Train(ctx, class, d); err != nil {
					t.Fatal(err)
				}
				id++
			}
		}
	}
	shares := []float64{6. / 12, 3. / 12, 3. / 12}
	prior := make([]float64, 3)
	for v := range prior {
		prior[v] = alpha * 3 * shares[v]
	}
	// What class b is ahead of a by category v, beside the same of the first category: the
	// priors of the classes are out of it.
	ahead := func(v int) float64 {
		doc := Document{Attributes: []count.Attribute{{Name: "v", Kind: count.Category, Category: fmt.Sprint("v", v)}}}
		scores := scoresOf(t, c, doc)
		return scores[1] - scores[0]
	}
	predicted := func(v int) float64 {
		p := func(class string) float64 {
			n, all := 0., alpha*3
			for at, k := range counts[class] {
				all += float64(k)
				if at == v {
					n = float64(k)
				}
			}
			return math.Log((n + prior[v]) / all)
		}
		return p("b") - p("a")
	}
	for v := range prior {
		if got, want := ahead(v)-ahead(0), predicted(v)-predicted(0); !near(got, want, 1e-12) {
			t.Errorf("category %d: %v, want %v", v, got, want)
		}
	}
	if _, err := model.Parse("attributes:proportional,ml"); err == nil {
		t.Error("a maximum likelihood estimate with a prior")
	}
	for _, name := range []string{"attributes:proportional,gaussian,shared,alpha=2", "attributes:shared"} {
		if m, err := model.Parse(name); err != nil || m.Name() != name {
			t.Errorf("%s is read as %v, %v", name, m, err)
		}
	}
}

package term

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// tableOf returns the row and the totals of a term that df of docs documents of
// each class have, once each; its classes have as many tokens as documents.
// Classes without the term have no cell.
func tableOf(docs, df []uint64) ([]count.Cell, []*count.Class) {
	var cells []count.Cell
	var t []*count.Class
	for c := range docs {
		t = append(t, &count.Class{Docs: docs[c], Tokens: docs[c]})
		if df[c] > 0 {
			cells = append(cells, count.Cell{Class: c, DF: df[c], TF: df[c]})
		}
	}
	return cells, t
}

// Example 13.3 of Introduction to Information Retrieval: the term export and the class poultry in
// Reuters-RCV1.
func TestInformationOfTheBook(t *testing.T) {
	t.Parallel()
	cells, classes := tableOf([]uint64{49 + 141, 27652 + 774106}, []uint64{49, 27652})
	if bits := Information(classes)(cells) / math.Ln2; math.Abs(bits-0.0001105) > 0.5e-7 {
		t.Errorf("I = %v bits, want 0.0001105", bits)
	}
}

// The numbers were printed by scikit-learn 1.2.1 and SciPy:
//
//	for docs, df in tables:
//	    t = np.array([df, docs - df])
//	    print(mutual_info_score(None, None, contingency=t),
//	          chi2_contingency(t, correction=False, lambda_="log-likelihood")[0])
func TestInformationOfScikitLearn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		docs, df []uint64
		mi, g    float64
	}{
		{[]uint64{190, 801758}, []uint64{49, 27652}, 7.661742985915214e-05, 122.88638927876352},
		{[]uint64{10, 20, 30}, []uint64{5, 0, 1}, 0.13648607029384202, 16.37832843526106},
		{[]uint64{480, 584, 591, 600}, []uint64{3, 40, 7, 120}, 0.04460615573293418, 201.17376235553058},
		{[]uint64{1000, 10}, []uint64{1, 1}, 0.0032564856495319126, 6.578101012054507},
		{[]uint64{7, 7, 7}, []uint64{7, 0, 0}, 0.6365141682948131, 26.733595068382137},
		{[]uint64{100000, 3, 250}, []uint64{12, 3, 17}, 0.0010687128308945566, 214.28333487144596},
	} {
		cells, classes := tableOf(c.docs, c.df)
		mi := Information(classes)(cells)
		// G is the closer test of a small I, whose digits it multiplies.
		all := 0.0
		for _, n := range c.docs {
			all += float64(n)
		}
		if g := 2 * all * mi; !near(mi, c.mi, 1e-12) || !near(g, c.g, 1e-9) {
			t.Errorf("%v of %v: I = %v, want %v; G = %v, want %v", c.df, c.docs, mi, c.mi, g, c.g)
		}
	}
}

// tableInformation is the definition, cell by cell.
func tableInformation(n [2][]float64) float64 {
	rows, columns, all := margins(n)
	sum := 0.0
	for t := range n {
		for c, x := range n[t] {
			if x > 0 {
				sum += x / all * math.Log(x*all/(rows[t]*columns[c]))
			}
		}
	}
	return sum
}

func margins(n [2][]float64) (rows [2]float64, columns []float64, all float64) {
	columns = make([]float64, len(n[0]))
	for t := range n {
		for c, x := range n[t] {
			rows[t] += x
			columns[c] += x
			all += x
		}
	}
	return rows, columns, all
}

// The information is that of the whole table of counted documents, whatever the
// order of the classes, and never negative.
func TestInformationOfTables(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	for range 200 {
		n := 2 + rng.IntN(5)
		classes, back := make([]*count.Class, n), make([]*count.Class, n)
		cells, reversed := make([]count.Cell, n), make([]count.Cell, n)
		var docs [2][]float64
		for c := range n {
			class := &count.Class{Docs: 1 + rng.Uint64N(50)}
			cell := count.Cell{Class: c, DF: rng.Uint64N(class.Docs + 1)}
			classes[c], back[n-1-c], cells[c] = class, class, cell
			docs[1], docs[0] = append(docs[1], float64(cell.DF)), append(docs[0], float64(class.Docs-cell.DF))
			cell.Class = n - 1 - c
			reversed[n-1-c] = cell
		}
		got, mirrored, want := Information(classes)(cells), Information(back)(reversed), tableInformation(docs)
		if got < 0 || !near(got, want, 1e-12) || !near(mirrored, want, 1e-12) {
			t.Errorf("%v: %v, in reverse order %v, want %v", cells, got, mirrored, want)
		}
	}
}

// A term that every class has in the same share of its documents tells nothing,
// and neither does one that no document or every document has.
func TestInformationOfIndependence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ docs, df []uint64 }{
		{[]uint64{10, 20, 30}, []uint64{1, 2, 3}},
		{[]uint64{700, 21}, []uint64{100, 3}},
		{[]uint64{10, 20}, []uint64{0, 0}},
		{[]uint64{10, 20}, []uint64{10, 20}},
		{[]uint64{10}, []uint64{3}},
		{[]uint64{10, 0}, []uint64{3, 0}},
		{nil, nil},
	} {
		cells, classes := tableOf(c.docs, c.df)
		if x := Information(classes)(cells); x != 0 {
			t.Errorf("%v of %v: %v, want 0", c.df, c.docs, x)
		}
	}
}

// Rounding makes nothing negative.
func TestInformationNearIndependence(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(33, 34))
	for range 1000 {
		a, b := 1+rng.Uint64N(1e9), 1+rng.Uint64N(1e9)
		p := rng.Float64()
		cells, classes := tableOf([]uint64{a, b}, []uint64{uint64(p * float64(a)), uint64(p * float64(b))})
		if x := Information(classes)(cells); !(x >= 0 && x < 1e-3) {
			t.Errorf("a share of %v of %d and %d: %v", p, a, b, x)
		}
	}
}

// A class that is there without the term, as the rest of a table of two may be,
// may have a cell or none.
func TestInformationOfEmptyCells(t *testing.T) {
	t.Parallel()
	cells, classes := tableOf([]uint64{10, 20, 0}, []uint64{4, 0, 0})
	all := append(slices.Clone(cells), count.Cell{Class: 1}, count.Cell{Class: 2})
	if x, y := Information(classes)(cells), Information(classes)(all); x <= 0 || !near(x, y, 1e-12) {
		t.Errorf("%v without cells, %v with empty cells", x, y)
	}
}

func near(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}

package logistic

import (
	"math"
	"slices"
)

// Rows are sparse feature vectors, one per document, contiguous in memory. The zero value
// is empty.
type Rows struct {
	starts   []int // of each row in the slices below, and the end of the last
	features []uint32
	values   []float64
}

// Len returns the number of rows.
func (r *Rows) Len() int { return max(len(r.starts)-1, 0) }

// Add adds a row: the values of these features, which are distinct. Both are copied.
func (r *Rows) Add(features []uint32, values []float64) {
	if len(r.starts) == 0 {
		r.starts = []int{0}
	}
	r.features = append(r.features, features...)
	r.values = append(r.values, values...)
	r.starts = append(r.starts, len(r.features))
}

// Row returns row i. It must not be changed.
func (r *Rows) Row(i int) (features []uint32, values []float64) {
	from, to := r.starts[i], r.starts[i+1]
	return r.features[from:to], r.values[from:to]
}

// Select returns the rows of these indices.
func (r *Rows) Select(indices []int) *Rows {
	s := new(Rows)
	for _, i := range indices {
		s.Add(r.Row(i))
	}
	return s
}

// Weighting turns the counts of a document's terms into features. For a term that
// occurs x times, and in df of the n documents that the Weighting was made of, the
// feature is
//
//	log(1+x) · (log((1+n) / (1+df)) + 1)
//
// and the features of a document are divided by their Euclidean length, so that long
// documents weigh no more than short ones. Terms that occur in fewer than minDF documents
// are not features: a term of one document says nothing about others.
//
// The second factor is scikit-learn's smoothed idf.
type Weighting struct {
	feature []int32   // by term; -1 is none
	idf     []float64 // by feature
	log     [256]float64
}

// NewWeighting counts the documents that each of the terms occurs in; docs lists the
// distinct terms of each document.
func NewWeighting(terms, minDF int, docs [][]uint32) *Weighting {
	w := &Weighting{feature: make([]int32, terms)}
	for _, doc := range docs {
		for _, t := range doc {
			w.feature[t]++
		}
	}
	for t, df := range w.feature {
		if int(df) < max(minDF, 1) {
			w.feature[t] = -1
			continue
		}
		w.feature[t] = int32(len(w.idf))
		w.idf = append(w.idf, math.Log(float64(1+len(docs))/float64(1+df))+1)
	}
	for x := range w.log {
		w.log[x] = math.Log1p(float64(x))
	}
	return w
}

// Features returns the number of features.
func (w *Weighting) Features() int { return len(w.idf) }

// Weigh appends the features of a document, in ascending order, to slices that the caller
// can reuse. A document without features gets an empty row.
func (w *Weighting) Weigh(features []uint32, values []float64, terms []uint32, counts []uint8) ([]uint32, []float64) {
	type entry struct {
		feature uint32
		value   float64
	}
	var row []entry
	var square float64
	for i, t := range terms {
		if f := w.feature[t]; f >= 0 {
			v := w.log[counts[i]] * w.idf[f]
			row = append(row, entry{uint32(f), v})
		}
	}
	slices.SortFunc(row, func(a, b entry) int { return int(a.feature) - int(b.feature) })
	for _, e := range row {
		square += e.value * e.value
	}
	length := math.Sqrt(square)
	for _, e := range row {
		features, values = append(features, e.feature), append(values, e.value/length)
	}
	return features, values
}

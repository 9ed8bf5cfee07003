package classify

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// sampleOthers is the number of documents in the calibration sample that are not of a
	// given class, for classes of equal size: a false-positive rate of .1 % needs 2,995 of
	// them, weights and biases fewer. Leave-one-out takes a tenth of a millisecond per
	// document with two classes.
	sampleOthers = 4000

	// sampleMost is the size of the sample for two classes.
	sampleMost = 2 * sampleOthers

	// sampleCells bounds documents × classes: the scores of all components are kept until
	// the fits are done, and a training may wait for these. With 128 classes, of which a
	// document keeps the scores at the most, it allows 1,024 documents.
	sampleCells = 1 << 17

	// sampleKept bounds the limit of a Calibrate that the database stores for later
	// trainings.
	sampleKept = 10_000

	// sampleFewest and fewestPerClass are the numbers of documents below which the weights
	// stay at their defaults. Leaving a document out of a small class biases its score.
	sampleFewest   = 20
	fewestPerClass = 2
)

func sampleSize(classes int) int {
	classes = max(classes, 2)
	return min(sampleOthers*classes/(classes-1), sampleCells/min(classes, shortlisted))
}

// fewest returns the least number of documents for a calibration.
func fewest(classes []*count.Class) int {
	n := count.WithDocuments(classes)
	return max(sampleFewest, min(fewestPerClass*n, sampleSize(n)/2))
}

// classFewest is the least number of documents in the sample for fitting a class. With
// fewer a fit would only learn that the class does not occur.
const classFewest = 3

// sampleKey is a pseudo-random key to draw samples by: the finalizer of MurmurHash3 (A.
// Appleby) over the id.
func sampleKey(id count.DocID) uint64 {
	h := binary.LittleEndian.Uint64(id[:8])
	for _, more := range []uint64{binary.LittleEndian.Uint64(id[8:]), 0x9e3779b97f4a7c15} {
		h ^= more
		h ^= h >> 33
		h *= 0xff51afd7ed558ccd
		h ^= h >> 33
		h *= 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return h
}

// within reports whether a key is in the sample with this share of all documents.
func within(key uint64, share float64) bool { return float64(key) < share*(1<<64) }

// looScores are leave-one-out scores of learned documents: each is scored without its own
// counts.
type looScores struct {
	s          *store.Snapshot
	t          model.Totals
	stacks     []model.Stack
	components []model.Component // the components of all stacks
	at         [][]int           // by stack: the indices of its components
	features   *model.Features
	counts     []int          // by class: documents scored
	all        []int          // the classes
	whole      bool           // the ledger has all documents in full
	fields     model.Seen     // of the documents scored
	rows       model.RowsOnce // of the documents scored and those that the Layer learns
	layer      *layer.Weights
	layerIDs   []count.ClassID // of the classes of layer

	evidence model.Evidence
	found    []calibration.Evidence // by class: of the current document; nil with very many
	docs     []scored
	rare     []scored // additional documents of the smaller of two classes, only for rates
	few      []scored // those of classes with too few, only for the record
	latest   latest
	seen     int        // see seenTerms
	marks    []marks    // by class; nil with very many
	flips    *fit.Flips // rates of wrong labels, found with the first stack

	record   *calibration.Record // of the chosen stack
	suspects []calibration.Suspect
	right    map[count.DocID]bool // the documents that it answers rightly without them
}

// scored is a document with its leave-one-out scores.
type scored struct {
	id     count.DocID
	key    uint64 // its sampleKey
	label  int
	hour   int64     // when it was learned, since 1970
	list   []int     // its classes, ascending: all, or those of its shortlist
	scores []float64 // components × list
	known  int       // its known terms; 0 if it has attributes

	found []calibration.Bounds // by class: evidence for it; nil with very many
}

// latest are the documents of the sample that were learned last, with their scores from
// only the documents learned before all of them: if mail changes, leave-one-out, which uses
// what came with and after a document, is optimistic.
type latest struct {
	since int64 // the hour of the first
	docs  []scored
	then  []scored // the same documents, with these scores
}

// hourOf returns the hour of a time: documents learned within an hour have no order. A
// folder learned at once would have the order of its files.
func hourOf(t time.Time) int64 { return t.Unix() / 3600 }

// position returns the place of a class in the scores of the document, -1 if it has none.
func (d *scored) position(class int) int {
	if at, found := slices.BinarySearch(d.list, class); found {
		return at
	}
	return -1
}

// whole returns scores of its list as those of all classes: -Inf for the others.
func (d *scored) whole(scores []float64, classes int) []float64 {
	all := slices.Repeat([]float64{math.Inf(-1)}, classes)
	for i, c := range d.list {
		all[c] = scores[i]
	}
	return all
}

// shortlisted is the number of classes of which scores are kept for a document if there are
// more than fit.BiasClasses: its own and the most probable others. So a sample takes the same
// memory with any number of classes.
const shortlisted = fit.BiasClasses

// listed reports whether documents have shortlists.
func (loo *looScores) listed() bool { return count.WithDocuments(loo.t.Classes) > fit.BiasClasses }

// shortlist returns the class of a document and the others of the greatest scores with the
// first stack, in ascending order, and their scores.
func (loo *looScores) shortlist(scores []float64, class int) (list []int, short []float64) {
	classes := len(loo.t.Classes)
	sums := make([]float64, classes)
	for k, w := range loo.stacks[0].Weights() {
		row := scores[loo.at[0][k]*classes:][:classes]
		for c, v := range row {
			sums[c] += w * v
		}
	}
	all := make([]int, 0, classes)
	for c, t := range loo.t.Classes {
		if t.Docs > 0 && c != class {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	list = append(all[:min(len(all), shortlisted-1)], class)
	slices.Sort(list)
	for m := range len(scores) / classes {
		for _, c := range list {
			short = append(short, scores[m*classes+c])
		}
	}
	return slices.Clone(list), short
}

// Package layer learns a linear model of the terms of documents: a multinomial logistic
// regression by stochastic gradient descent. A pass visits the documents in the order of a
// hash of their ids, so that the result depends only on the set of documents, and scores
// each before learning it: these scores are of unseen documents. A second pass visits them
// in reverse; weights and scores are the means of both, so that no document is scored by a
// less trained model than others, or weighs more because it came last.
//
// A document is the vector of log(1+x) idf of its terms, scaled to length 1, where x is
// the number of occurrences of the term and
//
//	idf = log((1+N)/(1+df)) + 1
//
// over N documents, df of which have the term, not counting the document itself. Terms
// that no other document has are left out. Of a document that also has terms of a channel, see
// count.OfChannel, these and the others are scaled to the same length: five times as many characters
// as words, most of them rarer, would leave the words little to say. Their scores are apart.
package layer

import (
	"cmp"
	"context"
	"slices"

	"github.com/polya-classifier/polya/internal/logistic"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// step is η: a document moves its own score by up to 5, since vectors have length 1. With 2 the
	// log loss is lower on news and higher on mail, and with 10 the reverse.
	step = 5

	// negligible is the gradient of a class below which a document does not change its
	// weights: most of many classes are practically impossible.
	negligible = 1e-3

	// Kinds is the number of kinds of terms: words, and terms of a channel.
	Kinds = 2

	// yieldAfter is the number of documents, of some 10 to 100 µs each, after which others
	// come first.
	yieldAfter = 16

	// Limits of learning: documents, scores (documents × classes), terms (summed over
	// documents), and weights: 32 MB of weights, 40 MB of documents, a few seconds. The order
	// of the documents decides which are left out.
	mostDocuments = 1 << 15
	mostScores    = 1 << 22
	mostTerms     = 1 << 23
	mostWeights   = 1 << 23
)

// Learner gathers documents, and learns them.
type Learner struct {
	classes int
	offsets []float64 // by tag: its prior log-odds; nil for classes
	terms   *Terms
	docs    []document
	size    int // terms of all documents
	full    int // size from which documents are dropped
	most    int // mostTerms

	Columns Columns // of the attributes to learn, nil for none
}

// document holds the terms of a document in its order.
type document struct {
	id     count.DocID
	key    uint64                 // hash of id
	label  int                    // -1: not to be learned
	tags   []int                  // any number of tags, instead of a label
	scored func(scores []float64) // nil: not to be scored
	terms  []uint32
	n      []uint8
	sums   []float64 // by class, the means of its scores

	attributes []count.Attribute
	row        logistic.Row // their features
	linear     []float64    // by class, its scores by them
	apart      bool         // they are not to be learned
}

// New returns a Learner for this number of classes, of documents with these terms.
func New(classes int, terms *Terms) *Learner {
	return &Learner{classes: classes, terms: terms, full: 2 * mostTerms, most: mostTerms}
}

// NewTags returns a Learner of a logistic regression for each tag; a document can have any
// number of tags. offsets are the tags' prior log-odds; scores do not include them.
func NewTags(offsets []float64, terms *Terms) *Learner {
	l := New(len(offsets), terms)
	l.offsets = offsets
	return l
}

// Key returns a hash of the id of a document, by which documents are ordered and sampled.
func Key(id count.DocID) uint64 { return Hash(id[:]) }

// Most returns the largest number of documents that are learned.
func (l *Learner) Most() int { return min(mostDocuments, mostScores/max(l.classes, 1)) }

// Add adds a document of the class with this index, or, if that is negative, a document
// not to be learned. A Learner of tags wants class 0, and the document's tags in ascending order.
// numbers are the numbers of its terms. Learn calls scored, unless that is nil, with the document's
// scores by its words, those by its channel, and with Columns those by its attributes, which are valid
// only during the call. Add may drop unused terms, and then gives the others new numbers.
func (l *Learner) Add(doc *count.Document, numbers []uint32, class int, tags []int, scored func(scores []float64)) {
	d := document{
		id: doc.ID, key: Key(doc.ID), label: class, tags: tags, scored: scored,
		terms: slices.Clone(numbers), n: make([]uint8, len(doc.Terms)),
	}
	for i := range doc.Terms {
		d.n[i] = doc.Terms[i].N
	}
	if d.apart = class < 0 || float64(d.key) >= l.Columns.share(l.classes)*(1<<64); l.Columns != nil && (scored != nil || !d.apart) {
		d.attributes = slices.Clone(doc.Attributes)
	}
	l.docs = append(l.docs, d)
	if l.size += len(d.terms); l.size > l.full {
		l.sort()
		l.dropTerms()
		l.full = 2 * max(l.most, l.size) // documents to be scored stay, however many
	}
}

// dropTerms drops terms that no remaining document has.
func (l *Learner) dropTerms() {
	before := *l.terms
	*l.terms = Terms{}
	var list []count.TermCount
	for i := range l.docs {
		d := &l.docs[i]
		list = list[:0]
		for _, t := range d.terms {
			list = append(list, count.TermCount{Term: before.Term(int(t))})
		}
		d.terms = l.terms.Numbers(d.terms[:0], list)
	}
}

// sort sorts the documents, and keeps of those to learn the first with l.most terms in
// all, and one more, so that later documents do not take its place.
func (l *Learner) sort() {
	slices.SortFunc(l.docs, func(a, b document) int {
		return cmp.Or(cmp.Compare(a.key, b.key), slices.Compare(a.id[:], b.id[:]))
	})
	learned := 0
	l.size = 0
	l.docs = slices.DeleteFunc(l.docs, func(d document) bool {
		next := learned <= l.most
		learned += len(d.terms)
		if !next && d.scored == nil {
			return true
		}
		l.size += len(d.terms)
		return false
	})
	learned = 0
	for i := range l.docs {
		d := &l.docs[i]
		if learned += len(d.terms); learned > l.most {
			d.label, d.apart = -1, true
		}
	}
}

// Learn learns the documents, and gives those to be scored their scores by class from before they
// were learned. Of tags they are by a model of seven eighths of the documents without this one: nearly
// as strong as the model of all, so that a threshold chosen from them holds for other documents.
// n is the number of all documents, and df[i] the number of them that have term i. If ctx ends, what is
// returned is of no use.
func (l *Learner) Learn(ctx context.Context, n uint64, df []uint64) *Weights {
	l.sort()
	if l.offsets != nil {
		l.scoreFolds(n, df)
	}
	p := l.pass(n, df)
	p.both(l.docs)
	features := l.learnAttributes(ctx, p)
	for i := range l.docs {
		if d := &l.docs[i]; d.scored != nil {
			d.scored(append(d.sums, d.linear...))
		}
	}
	return p.compact(l.terms, n, df, features)
}

// folds is the number of parts into which the documents of tags are divided; each part is
// scored by a model of the others.
const folds = 8

// scoreFolds scores the documents, after which none is left to be scored.
func (l *Learner) scoreFolds(n uint64, df []uint64) {
	for fold := range folds {
		var rest, out []document
		for _, d := range l.docs {
			switch held := d.key%folds == uint64(fold); {
			case held && d.scored != nil:
				out = append(out, d)
			case !held:
				d.scored = nil
				rest = append(rest, d)
			}
		}
		p := l.pass(n, df)
		p.both(rest)
		for i := range out {
			p.score(&out[i])
			out[i].scored(p.scores)
		}
	}
	for i := range l.docs {
		l.docs[i].scored = nil
	}
}

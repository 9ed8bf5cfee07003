package layer

import (
	"math"
	"runtime"
	"slices"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// both learns documents in order and in reverse order, and averages the weights. It
// reverses docs.
func (p *pass) both(docs []document) {
	p.learnAll(docs)
	forward := p.weights
	p.weights = make([]float32, len(forward))
	slices.Reverse(docs)
	p.learnAll(docs)
	for i := range p.weights {
		if i < len(forward) {
			p.weights[i] += forward[i]
		}
		p.weights[i] /= 2
	}
}

// learnAll learns documents in their order, and scores those that are not to be learned
// last.
func (p *pass) learnAll(docs []document) {
	for _, learns := range []bool{true, false} {
		for i := range docs {
			d := &docs[i]
			if d.label >= 0 != learns {
				continue
			}
			if i%yieldAfter == 0 {
				runtime.Gosched() // trainings and questions come first
			}
			p.score(d)
			if d.scored != nil {
				d.add(p.scores)
			}
			if learns {
				p.learn(d)
			}
		}
	}
}

// add adds half of the scores of a document: it is scored twice.
func (d *document) add(scores []float64) {
	if d.sums == nil {
		d.sums = make([]float64, len(scores))
	}
	for c, s := range scores {
		d.sums[c] += s / 2
	}
}

// IDF returns the idf of a term that df of n documents have.
func IDF(n, df uint64) float64 { return math.Log(float64(1+n)/float64(1+df)) + 1 }

// Kind returns the kind of a term, below Kinds.
func Kind(term []byte) int {
	if count.OfChannel(term) {
		return 1
	}
	return 0
}

// Units returns the factors, by kind of terms, that give a vector with these sums of squares length 1,
// and its kinds the same length; 1 for a kind of which it has none.
func Units(squares [Kinds]float64) (units [Kinds]float64) {
	kinds := 0.
	for _, sum := range squares {
		if sum > 0 {
			kinds++
		}
	}
	for kind, sum := range squares {
		if units[kind] = 1; sum > 0 {
			units[kind] = 1 / math.Sqrt(kinds*sum)
		}
	}
	return units
}

// pass is the state of learning.
type pass struct {
	classes  int
	offsets  []float64 // of a Learner of tags
	terms    []termState
	weights  []float32
	scores   []float64 // by class by the words, and then by the characters
	gradient []float64 // of their sum
	vector   []float64 // of the document
	active   []int
}

// termState holds the idf of a term, 0 if the term is left out, and the place of its
// weights.
type termState struct {
	idf  float64
	kind int   // 1 for a term of a channel
	row  int32 // its place among the weights by classes, -1 if it has none
}

// pass returns an untrained pass over n documents, df[i] of which have term i.
func (l *Learner) pass(n uint64, df []uint64) *pass {
	classes, room := l.classes, 0
	p := &pass{classes: classes, offsets: l.offsets, terms: make([]termState, len(df)), scores: make([]float64, Kinds*classes), gradient: make([]float64, classes)}
	for i, d := range df {
		p.terms[i].row = -1
		p.terms[i].kind = Kind(l.terms.Term(i))
		if d >= 2 {
			p.terms[i].idf = IDF(n-1, d-1)
			room += classes
		}
	}
	p.weights = make([]float32, 0, min(room, mostWeights))
	return p
}

// score sets p.vector to the vector of the document, and p.scores to its scores.
func (p *pass) score(d *document) {
	p.vector = slices.Grow(p.vector[:0], len(d.terms))[:len(d.terms)]
	var squares [Kinds]float64
	for i, t := range d.terms {
		v := count.Logs[d.n[i]] * p.terms[t].idf
		p.vector[i] = v
		squares[p.terms[t].kind] += v * v
	}
	clear(p.scores)
	units := Units(squares)
	for i, t := range d.terms {
		if p.vector[i] == 0 {
			continue
		}
		term := p.terms[t]
		p.vector[i] *= units[term.kind]
		if term.row >= 0 {
			v := p.vector[i]
			weights := p.of(term.row)
			scores := p.scores[term.kind*p.classes:][:len(weights)]
			for c, w := range weights {
				scores[c] += v * float64(w)
			}
		}
	}
}

// whole returns the score of a class by all terms.
func (p *pass) whole(class int) float64 { return p.scores[class] + p.scores[p.classes+class] }

// learn updates the weights with the document scored last.
func (p *pass) learn(d *document) {
	if p.offsets == nil {
		p.softmax(d)
	} else {
		p.sigmoids(d)
	}
	if len(p.active) > 0 {
		p.move(d)
	}
}

// softmax sets the gradient of the scores for a document of one class.
func (p *pass) softmax(d *document) {
	for c := range p.gradient {
		p.gradient[c] = p.whole(c)
	}
	numeric.Softmax(p.gradient, p.gradient)
	p.active = p.active[:0]
	for c := range p.gradient {
		g := -p.gradient[c]
		if c == d.label {
			g++
		}
		p.pull(c, g)
	}
}

// sigmoids sets the gradient for a document with any number of tags.
func (p *pass) sigmoids(d *document) {
	p.active = p.active[:0]
	tags := d.tags
	for c := range p.gradient {
		g := -numeric.Logistic(p.whole(c) + p.offsets[c])
		if len(tags) > 0 && tags[0] == c {
			g++
			tags = tags[1:]
		}
		p.pull(c, g)
	}
}

// pull sets the gradient of a class, which is left out if it is negligible.
func (p *pass) pull(c int, g float64) {
	if p.gradient[c] = step * g; math.Abs(g) >= negligible {
		p.active = append(p.active, c)
	}
}

// move moves the weights of the terms of a document along the gradient.
func (p *pass) move(d *document) {
	for i, t := range d.terms {
		if p.vector[i] == 0 {
			continue
		}
		term := &p.terms[t]
		if term.row < 0 {
			if len(p.weights)+p.classes > mostWeights {
				continue
			}
			term.row = int32(len(p.weights) / p.classes)
			p.weights = append(p.weights, make([]float32, p.classes)...)
		}
		weights, v := p.of(term.row), p.vector[i]
		for _, c := range p.active {
			weights[c] += float32(p.gradient[c] * v)
		}
	}
}

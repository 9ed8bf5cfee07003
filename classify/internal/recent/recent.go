// Package recent learns from each lesson at once: a document whose class was a surprise moves
// the answers for documents that resemble it, until counts and calibration have taken it in.
//
// The correction of the log-odds of the second of two classes is
//
//	l(x) = Σ_d α_d (φ(d)·ψ(x) + γ(d)·δ(x))/2
//
// over the lessons d that are kept, where α_d is a step of stochastic gradient descent of the
// log loss. ψ(x) has log(1+n) of each term that x has n times, and φ(d) that times idf²; δ(x) has 1
// for each gram of the raw header, and γ(d) the idf of the gram among the lessons before d. So what
// is rare counts most, and nothing needs to be looked up for x. ψ and δ have length 1, and
// φ(d)·ψ(d) and γ(d)·δ(d) are 1. Of documents without grams, or without terms, the other product
// alone counts.
//
// The correction counts as far as lessons have shown that it helps: its weight is 0, 1/2, 1 or 3/2,
// each being as probable before, and the answer has the mean of the probabilities with these by
// their posterior. So where they differ it is less sure.
package recent

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// Surprise is the probability above which a wrong answer is a lesson: that of the corrected
	// answer, or that of half of the log-odds with the whole correction. Near copies in a burst
	// are none: the first one has corrected the answers.
	Surprise = .1

	// rate is by how much a lesson moves the log-odds of an equal document, times its error.
	// From 6 to 10 hardly anything changes on mail and news.
	rate = 8

	// leastWrong is the least rate of wrong labels assumed. Without it a label that is surely
	// wrong would be the greatest surprise: with 2 % wrong labels, 1.34 % of SpamAssassin's
	// messages in random orders were answered wrong, and 1.22 % with it.
	leastWrong = .01

	// mostTerms and mostGrams are the numbers of features kept of a lesson, those that weigh most.
	mostTerms = 256
	mostGrams = 1024

	// common is the weight of a gram that all lessons have: headers share much that says little. With
	// 1, as for terms, there were 3 % more errors in folders of mail.
	common = .5

	// maxGain bounds the gain of a lesson: no single one opens or closes the correction for good.
	maxGain = 5

	// maxUnit bounds the unit of weights in damaged bytes: a weight is less than the square root
	// of the number of terms, times 8.
	maxUnit = 16
)

// weights are the weights that the correction may have, besides 0.
var weights = [...]float64{.5, 1, 1.5}

// Document has the features of a document.
type Document struct {
	Terms []Term
	Grams []uint16 // tokenize.Bag.Grams
}

// Term is a term by its hash, with its number of occurrences.
type Term struct {
	Hash uint16
	N    uint8
}

// Correction is the sum of the lessons that are kept. The zero value has none.
type Correction struct {
	// Few is set, before lessons are added, where few documents are asked about: it sums the lessons
	// for the features of each, and touches no memory for all. Encodings added must stay as they are.
	Few bool

	sums    []float32 // by feature, without Few
	lessons []part    // with Few
	gains   [len(weights)]float64
}

// part has the terms or the grams in the encoding of a lesson, and the unit of their weights times α.
type part struct {
	features []byte
	unit     float32
}

// Empty reports whether there are no lessons.
func (c *Correction) Empty() bool { return c.sums == nil && c.lessons == nil }

// Correct returns what log-odds x become by a correction of l.
func (c *Correction) Correct(x, l float64) float64 {
	second, first := -numeric.Softplus(-x), -numeric.Softplus(x) // logarithms of the probabilities
	for i, gain := range c.gains {
		second = numeric.LogSum(second, gain-numeric.Softplus(-x-weights[i]*l))
		first = numeric.LogSum(first, gain-numeric.Softplus(x+weights[i]*l))
	}
	return second - first
}

// LogOdds returns l for a document.
func (c *Correction) LogOdds(d *Document) (l float64) {
	if c.Empty() {
		return 0
	}
	sums, own := c.sums, (*features)(nil)
	if c.Few {
		sums, own = c.sumsOf(d)
	}
	terms, square, grams, parts := 0., 0., 0., 0.
	for _, t := range d.Terms {
		x := count.Logs[t.N]
		terms += x * float64(sums[own.place(t.Hash)])
		square += x * x
	}
	for _, g := range d.Grams {
		grams += float64(sums[own.place(g)])
	}
	if square > 0 {
		l += terms / math.Sqrt(square)
		parts++
	}
	if len(d.Grams) > 0 {
		l += grams / math.Sqrt(float64(len(d.Grams)))
		parts++
	}
	return l / max(parts, 1)
}

// features are those of one document, in order of their hashes; nil has all that there are.
type features struct {
	has   [1 << 16 / 64]uint64
	below [1 << 16 / 64]uint16 // how many come before those of a word of has
}

// place returns where the sum for a feature of the document is.
func (s *features) place(f uint16) int {
	if s == nil {
		return int(f)
	}
	return int(s.below[f/64]) + bits.OnesCount64(s.has[f/64]&(1<<(f%64)-1))
}

// sumsOf returns the sums of the lessons for the features of a document.
func (c *Correction) sumsOf(d *Document) (sums []float32, own *features) {
	own = new(features)
	for _, t := range d.Terms {
		own.has[t.Hash/64] |= 1 << (t.Hash % 64)
	}
	for _, g := range d.Grams {
		own.has[g/64] |= 1 << (g % 64)
	}
	n := 0
	for i, word := range own.has {
		own.below[i] = uint16(n)
		n += bits.OnesCount64(word)
	}
	sums = make([]float32, n)
	for _, p := range c.lessons {
		p.addTo(sums, own)
	}
	return sums, own
}

// Add adds the encoding of a lesson of the second class, or of the first. It ignores other bytes.
func (c *Correction) Add(data []byte, second bool) {
	terms, grams, ok := parts(data)
	if !ok {
		return
	}
	f32 := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[1+4*i:]))) }
	step, unit, each := f32(0), f32(1), f32(2)
	if !(math.Abs(step) <= rate && unit >= 0 && unit <= maxUnit && each >= 0 && each <= maxUnit) {
		return
	}
	var gains [len(weights)]float64
	for i := range gains {
		if gains[i] = f32(3 + i); !(math.Abs(gains[i]) <= maxGain) {
			return
		}
	}
	for i, g := range gains {
		c.gains[i] += g
	}
	if !second {
		step = -step
	}
	if c.sums == nil && !c.Few {
		c.sums = make([]float32, 1<<16)
	}
	for _, p := range []part{{terms, float32(step * unit)}, {grams, float32(step * each)}} {
		if c.Few {
			c.lessons = append(c.lessons, p)
		} else {
			p.addTo(c.sums, nil)
		}
	}
}

// addTo adds the features that a document has.
func (p part) addTo(sums []float32, own *features) {
	for list := p.features; len(list) >= featureSize; list = list[featureSize:] {
		if f := binary.LittleEndian.Uint16(list); own == nil || own.has[f/64]>>(f%64)&1 != 0 {
			sums[own.place(f)] += p.unit * float32(list[2])
		}
	}
}

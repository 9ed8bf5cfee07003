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
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

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

// Answer is what was answered for a document before it was learned, as log-odds of the class
// that it was then taught as.
type Answer struct {
	LogOdds    float64 // without the correction
	Correction float64
	Own, Other float64 // the rates of wrong labels of documents of that class, and of the other
}

// Lesson is what an answer teaches.
type Lesson struct {
	Step  float64               // α, for the class taught
	Gains [len(weights)]float64 // how much less log loss the answer has with each weight
}

// Lesson returns the lesson of an answer, nil if it was no surprise.
func (c *Correction) Lesson(a *Answer) *Lesson {
	// With half of the log-odds answers that are right and not sure go on moving.
	sure, half := numeric.Logistic(c.Correct(a.LogOdds, a.Correction)), numeric.Logistic(a.LogOdds/2+a.Correction)
	if !(1-min(sure, half) > Surprise) {
		return nil
	}
	right := sure * (1 - a.Own) // or the label is wrong
	right /= right + (1-sure)*max(a.Other, leastWrong)
	loss := func(x float64) float64 { return right*numeric.Softplus(-x) + (1-right)*numeric.Softplus(x) }
	l := &Lesson{Step: rate * (right - half)}
	for i, w := range weights {
		l.Gains[i] = max(-maxGain, min(maxGain, loss(a.LogOdds)-loss(a.LogOdds+w*a.Correction)))
	}
	return l
}

// version is the first byte of a lesson. Then follow, little-endian,
//
//	α, f32; the units of the weights of terms and of grams, f32; the gains, f32 each
//	the number of terms, u16
//	features, terms first: u16 hash, u8 weight
const (
	version     = 3
	lessonHead  = 1 + 4 + 2*4 + 4*len(weights) + 2
	featureSize = 2 + 1
)

// feature is a feature of a document that is taught.
type feature struct {
	hash          uint16
	taught, asked float64 // its weights in φ and ψ, or γ and δ, but for their lengths
}

// Met counts the lessons that have each gram. The zero value counts none.
type Met struct {
	lessons int
	grams   [1 << 16]uint16
}

// Add counts the encoding of a lesson. It ignores other bytes.
func (m *Met) Add(data []byte) {
	if _, grams, ok := parts(data); ok {
		m.lessons++
		for ; len(grams) >= featureSize; grams = grams[featureSize:] {
			m.grams[binary.LittleEndian.Uint16(grams)]++
		}
	}
}

// parts returns the features in the encoding of a lesson.
func parts(data []byte) (terms, grams []byte, ok bool) {
	if len(data) < lessonHead || data[0] != version {
		return nil, nil, false
	}
	n := lessonHead + featureSize*int(binary.LittleEndian.Uint16(data[lessonHead-2:]))
	if len(data) < n {
		return nil, nil, false
	}
	return data[lessonHead:n], data[n:], true
}

// Marshal returns the encoding of a lesson of a document whose terms have these idf, after the
// lessons that were met.
func (l *Lesson) Marshal(met *Met, d *Document, idf []float64) []byte {
	terms, grams := make([]feature, len(d.Terms)), make([]feature, len(d.Grams))
	for i, t := range d.Terms {
		x := count.Logs[t.N]
		terms[i] = feature{t.Hash, x * idf[i] * idf[i], x}
	}
	for i, g := range d.Grams {
		grams[i] = feature{g, math.Log(float64(1+met.lessons)/float64(1+int(met.grams[g]))) + common, 1}
	}
	terms, unit := heaviest(terms, mostTerms)
	grams, each := heaviest(grams, mostGrams)
	b := []byte{version}
	for _, x := range append([]float64{l.Step, unit, each}, l.Gains[:]...) {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(terms)))
	for _, f := range append(terms, grams...) {
		b = append(binary.LittleEndian.AppendUint16(b, f.hash), uint8(math.Round(f.taught)))
	}
	return b
}

// heaviest returns the features that weigh most, their weights as multiples of unit.
func heaviest(list []feature, most int) (_ []feature, unit float64) {
	square, product := 0., 0.
	for _, f := range list {
		square += f.asked * f.asked
		product += f.asked * f.taught
	}
	slices.SortFunc(list, func(a, b feature) int {
		return cmp.Or(cmp.Compare(b.taught, a.taught), cmp.Compare(a.hash, b.hash))
	})
	if len(list) == 0 {
		return nil, 0
	}
	list = list[:min(len(list), most)]
	top := list[0].taught / math.MaxUint8
	for i := range list {
		list[i].taught /= top
	}
	return list, top * math.Sqrt(square) / product
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

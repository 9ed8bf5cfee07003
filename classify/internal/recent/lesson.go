package recent

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

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

package model

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// Count selects the count of a term that occurs x times in a document, there and in the
// counts n_ct of the classes.
type Count uint8

const (
	// Occurrences counts x. n_ct is the term frequency TF_ct.
	Occurrences Count = iota

	// LogCounts counts log(1+x) in the document to classify, and in the classes its chord
	// through x = 0, 1 and 2,
	//
	//	n_ct = TF_ct log 3/2 + DF_ct log 4/3
	//
	// which equals Σ_d log(1+x_dt) if no document has the term more than twice, and is more
	// otherwise. Σ_d log(1+x_dt) itself follows from U, but its total N_c from no stored
	// total: it would need a scan of all rows after each training. The chord needs neither
	// that nor U. With it 20 Newsgroups (by date) has .823 correct at α = .1 and .839 at λ =
	// .7, with the sum itself .827 and .842; Reuters R8 has .962 and .948, and .959 and
	// .950.
	LogCounts

	// Binary counts 1. n_ct is the document frequency DF_ct.
	Binary

	// normalisedCounts counts log(1+x), and W_ct in the classes. It is the Count
	// of Normalised, which divides the score by the document's norm.
	normalisedCounts
)

// countNames are the names of counts in model names.
var countNames = [...]string{"", "log", "binary"}

// String returns "log", "binary", or "" for Occurrences.
func (n Count) String() string {
	if int(n) < len(countNames) {
		return countNames[n]
	}
	return fmt.Sprintf("count(%d)", uint8(n))
}

// chordTF and chordDF are the factors of TF and DF in LogCounts.
var chordTF, chordDF = math.Log(3. / 2), math.Log(4. / 3)

// of returns n_ct.
func (n Count) of(cell *count.Cell) float64 {
	switch n {
	case LogCounts:
		return chordTF*float64(cell.TF) + chordDF*float64(cell.DF)
	case Binary:
		return float64(cell.DF)
	case normalisedCounts:
		return weightUnit * float64(cell.W)
	}
	return float64(cell.TF)
}

// total returns N_c. It includes pruned terms, as Tokens and Weight do, so that the
// others keep their probabilities. Their document frequencies are lost, so each of their
// occurrences counts as a document.
func (n Count) total(class *count.Class) float64 {
	switch n {
	case LogCounts:
		return chordTF*float64(class.Tokens) + chordDF*(sumFrequencies(class)+float64(class.Dropped))
	case Binary:
		return sumFrequencies(class) + float64(class.Dropped)
	case normalisedCounts:
		return weightUnit * float64(class.Weight)
	}
	return float64(class.Tokens)
}

// once returns the count of a term that occurs once.
func (n Count) once() float64 { return n.weights()[1] }

// countWeights are the counts of a term in the document, by occurrences.
type countWeights [count.MaxCount + 1]float64

func (n Count) weights() *countWeights {
	switch n {
	case LogCounts, normalisedCounts:
		return &weightsLog
	case Binary:
		return &weightsOne
	}
	return &weightsX
}

var weightsX, weightsLog, weightsLogSquared, weightsOne = func() (x, log, squared, one countWeights) {
	for i := range x {
		x[i] = float64(i)
		log[i] = count.Logs[i]
		squared[i] = log[i] * log[i]
		one[i] = 1
	}
	return x, log, squared, one
}()

// sumFrequencies returns Σ_t DF_ct.
func sumFrequencies(class *count.Class) float64 {
	var sum float64
	for _, h := range class.Frequencies {
		sum += float64(h.N) * float64(h.Count)
	}
	return sum
}

// weightUnit is the unit of count.Cell.W.
const weightUnit = 0x1p-16

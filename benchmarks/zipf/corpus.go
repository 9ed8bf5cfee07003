package zipf

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A Corpus is an endless sequence of documents. It is only read.
type Corpus struct {
	Seed    uint64
	Classes int // how many classes there are, at least 1
	Terms   int // the vocabulary does not grow beyond this, 1 to 2^31-1
}

const (
	heapsFactor   = 30
	heapsExponent = 65 // in hundredths

	medianTokens = 160
	meanTokens   = 203 // e^(ln²2/2) times the median, for a deviation of one octave

	// The most frequent terms, like articles and prepositions, belong to no class.
	headTerms = 64

	topicalShare = 40 // of draws beyond these, in hundredths
	repeatShare  = 25 // of tokens, in hundredths
)

// Document is a document of a Corpus. The next Draw into it reuses its memory.
type Document struct {
	Number int
	Class  int
	Tokens []uint32 // terms by their rank, from 1, in the order of the text
	Terms  []Term   // each term once, in order of rank

	random *rand.PCG
	sorted []uint32
}

// Term is a term of a document.
type Term struct {
	Rank uint32 // 1 is the most frequent
	N    uint32 // how often it occurs there
}

// Vocabulary returns the number of terms from which document number i is drawn.
func (c *Corpus) Vocabulary(i int) int {
	tokens := uint64(i+1) * meanTokens
	grown := exp2(log2(heapsFactor) + log2(tokens)*heapsExponent/100)
	return int(min(grown, uint64(c.Terms)))
}

// Draw sets d to document number i, counted from 0.
func (c *Corpus) Draw(i int, d *Document) {
	d.Number = i
	if d.random == nil {
		d.random = new(rand.PCG)
	}
	d.random.Seed(c.Seed, uint64(i))
	d.Class = int(d.below(uint64(c.Classes)))
	vocabulary := c.Vocabulary(i)
	d.Tokens = d.Tokens[:0]
	for range d.length() {
		d.Tokens = append(d.Tokens, c.token(d, uint64(vocabulary)))
	}
	d.count()
}

// below draws a number below n.
func (d *Document) below(n uint64) uint64 {
	high, _ := bits.Mul64(d.random.Uint64(), n)
	return high
}

// length draws the number of tokens, from 1 to 64 times the median.
func (d *Document) length() uint64 {
	// Twelve uniform numbers have a sum of variance 1 and mean 6, nearly normal.
	sum := uint64(0)
	for range 12 {
		sum += d.random.Uint64() >> 32
	}
	return max(exp2(log2(medianTokens<<6)+sum-6*one)>>6, 1)
}

func (c *Corpus) token(d *Document, vocabulary uint64) uint32 {
	if n := uint64(len(d.Tokens)); n > 0 && d.below(100) < repeatShare {
		return d.Tokens[d.below(n)]
	}
	// A rank with a uniform logarithm follows Zipf's law.
	rank := min(exp2(d.below(log2(vocabulary+1))), vocabulary)
	if rank > headTerms && d.below(100) < topicalShare {
		// Of as many neighbours as there are classes, each class prefers one.
		classes := uint64(c.Classes)
		if own := rank - rank%classes + uint64(d.Class); own > headTerms && own <= vocabulary {
			rank = own
		}
	}
	return uint32(rank)
}

func (d *Document) count() {
	d.sorted = append(d.sorted[:0], d.Tokens...)
	slices.Sort(d.sorted)
	d.Terms = d.Terms[:0]
	for _, rank := range d.sorted {
		if n := len(d.Terms); n > 0 && d.Terms[n-1].Rank == rank {
			d.Terms[n-1].N++
		} else {
			d.Terms = append(d.Terms, Term{rank, 1})
		}
	}
}

package zipf

import (
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// The powers and logarithms agree with package math, which is exact enough to see any
// error but one of the last bits.
func TestFixed(t *testing.T) {
	for n := uint64(1); n < 1<<40; n = n*5/4 + 1 {
		want := math.Log2(float64(n))
		if got := float64(log2(n)) / one; math.Abs(got-want) > 1e-9 {
			t.Fatalf("log2(%d) = %.12f, want %.12f", n, got, want)
		}
		if got := float64(exp2(log2(n))); got > float64(n) || got < float64(n)*(1-1e-8)-1 {
			t.Fatalf("exp2(log2(%d)) = %.0f", n, got)
		}
	}
	for x := uint64(0); x < 61*one; x += one/7 + 1 {
		want := math.Exp2(float64(x) / one)
		if got := float64(exp2(x)); math.Abs(got-want) > want*1e-8+1 {
			t.Fatalf("exp2(%d/2^32) = %.0f, want %.0f", x, got, want)
		}
	}
}

// What a seed gives is the same on every machine and for ever: results of different
// machines are compared by it. The sum was computed on amd64.
func TestSameEverywhere(t *testing.T) {
	c := Corpus{Seed: 1, Classes: 20, Terms: 100_000}
	sum := fnv.New64a()
	var d Document
	for i := range 200 {
		c.Draw(i*i, &d)
		sum.Write(d.AppendText([]byte(ClassName(d.Class) + " ")))
	}
	if got, want := sum.Sum64(), uint64(0x5a3a77b6d8e324c0); got != want {
		t.Errorf("the documents have the sum %#x, not %#x", got, want)
	}
}

// A document is the same whatever was drawn before it.
func TestAnyOrder(t *testing.T) {
	c := Corpus{Seed: 2, Classes: 3, Terms: 5000}
	var used, fresh Document
	for _, i := range []int{500, 3, 0, 500, 77} {
		c.Draw(i, &used)
		fresh = Document{}
		c.Draw(i, &fresh)
		if used.Class != fresh.Class || !slices.Equal(used.Tokens, fresh.Tokens) || !slices.Equal(used.Terms, fresh.Terms) {
			t.Fatalf("document %d differs from itself", i)
		}
	}
	c.Draw(1, &used)
	if used.ID() == fresh.ID() || slices.Equal(used.Tokens, fresh.Tokens) {
		t.Error("two documents are the same")
	}
}

func TestLengths(t *testing.T) {
	c := Corpus{Seed: 3, Classes: 2, Terms: 1000}
	var d Document
	sum, squares := 0.0, 0.0
	const documents = 20_000
	for i := range documents {
		c.Draw(i, &d)
		l := math.Log2(float64(len(d.Tokens)))
		sum, squares = sum+l, squares+l*l
	}
	mean := sum / documents
	if want := math.Log2(medianTokens); math.Abs(mean-want) > .03 {
		t.Errorf("mean logarithm %.3f, want %.3f", mean, want)
	}
	if dev := math.Sqrt(squares/documents - mean*mean); math.Abs(dev-1) > .03 {
		t.Errorf("deviation %.3f octaves, want 1", dev)
	}
}

// Zipf's law: as many tokens between ranks 100 and 1000 as between 1000 and 10000. Heaps'
// law: the number of distinct terms is about a power of the number of tokens, with an
// exponent between the vocabulary's and 1.
func TestLaws(t *testing.T) {
	c := Corpus{Seed: 4, Classes: 10, Terms: 1 << 30}
	counts := make(map[uint32]int)
	var d Document
	var tokens, terms []float64
	total := 0
	const documents = 20_000
	for i := range documents {
		c.Draw(i, &d)
		for _, term := range d.Terms {
			counts[term.Rank] += int(term.N)
		}
		if total += len(d.Tokens); (i+1)%(documents/4) == 0 {
			tokens, terms = append(tokens, float64(total)), append(terms, float64(len(counts)))
		}
	}
	for i := 1; i < len(terms); i++ {
		slope := math.Log(terms[i]/terms[i-1]) / math.Log(tokens[i]/tokens[i-1])
		if slope < .65 || slope > .82 {
			t.Errorf("from %.0f to %.0f tokens, terms grow with exponent %.3f", tokens[i-1], tokens[i], slope)
		}
	}
	vocabulary := c.Vocabulary(documents - 1)
	if want := heapsFactor * math.Pow(documents*meanTokens, heapsExponent/100.); math.Abs(float64(vocabulary)-want) > want*.001 {
		t.Errorf("vocabulary %d, want %.0f", vocabulary, want)
	}
	low, high := 0, 0
	for rank, n := range counts {
		if int(rank) > vocabulary {
			t.Fatalf("a term of rank %d in a vocabulary of %d", rank, vocabulary)
		}
		if rank >= 100 && rank < 1000 {
			low += n
		} else if rank >= 1000 && rank < 10_000 {
			high += n
		}
	}
	if ratio := float64(low) / float64(high); ratio < .9 || ratio > 1.1 {
		t.Errorf("%d tokens of ranks from 100, %d from 1000", low, high)
	}
	small := Corpus{Seed: 4, Classes: 10, Terms: 500}
	if n := small.Vocabulary(documents); n != 500 {
		t.Errorf("a vocabulary of %d, bounded by 500", n)
	}
}

// Beyond the head, a class has its own terms several times as often as any other has.
func TestTopics(t *testing.T) {
	c := Corpus{Seed: 5, Classes: 5, Terms: 2000}
	own, all := 0, 0
	var d Document
	for i := range 2000 {
		c.Draw(i, &d)
		for _, term := range d.Terms {
			if term.Rank > 2*headTerms {
				all += int(term.N)
				if int(term.Rank)%c.Classes == d.Class {
					own += int(term.N)
				}
			}
		}
	}
	if share := float64(own) / float64(all); share < .48 || share > .56 { // .4 + .6/5
		t.Errorf("%.2f of the tokens are of the class's own terms, want .52", share)
	}
}

// Words are distinct, and a tokenizer takes them as words.
func TestWords(t *testing.T) {
	seen := make(map[string]bool)
	for rank := uint32(1); rank <= 1_020_000; rank += 1 + rank/5000 {
		w := string(AppendWord(nil, rank))
		if seen[w] || w == "" {
			t.Fatalf("word %q of rank %d is not the first", w, rank)
		}
		seen[w] = true
	}
	c := Corpus{Seed: 6, Classes: 2, Terms: 10_000}
	var d Document
	c.Draw(0, &d)
	var bag tokenize.Bag
	d.Fill(&bag)
	stored := d.Stored()
	if bag.Len() != len(d.Terms) || len(stored.Terms) != len(d.Terms) {
		t.Errorf("%d terms, %d in the bag, %d in the store", len(d.Terms), bag.Len(), len(stored.Terms))
	}
	for i, term := range stored.Terms {
		if word, n := bag.At(i); string(word) != string(term.Term) || n != int(term.N) {
			t.Errorf("term %d: %q %d times, in the store %q %d times", i, word, n, term.Term, term.N)
		}
	}
}

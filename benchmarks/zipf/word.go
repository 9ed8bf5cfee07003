package zipf

import (
	"encoding/binary"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

const (
	consonants = "bcdfghjklmnprstvwxyz"
	vowels     = "aeiou"
)

// AppendWord appends the spelling of the term of that rank, from 1: a syllable of two
// letters for each digit to the base 100, so that frequent words are short and no two
// are the same.
func AppendWord(dst []byte, rank uint32) []byte {
	for n := rank; n > 0; n = (n - 1) / 100 {
		digit := (n - 1) % 100
		dst = append(dst, consonants[digit/5], vowels[digit%5])
	}
	return dst
}

// AppendText appends the words of the document, 12 on a line.
func (d *Document) AppendText(dst []byte) []byte {
	for i, rank := range d.Tokens {
		dst = AppendWord(dst, rank)
		if i%12 == 11 || i == len(d.Tokens)-1 {
			dst = append(dst, '\n')
		} else {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// ID returns the document's id.
func (d *Document) ID() (id count.DocID) {
	// Odd multiples keep ids of different numbers apart, and mix their order.
	n := uint64(d.Number) + 1
	binary.BigEndian.PutUint64(id[:], n*0x9E3779B97F4A7C15)
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

// ClassName returns the name of class number i.
func ClassName(i int) string { return fmt.Sprintf("class%03d", i) }

// Fill counts the document's terms in bag, which is emptied first.
func (d *Document) Fill(bag *tokenize.Bag) {
	bag.Reset()
	var word [16]byte
	for _, t := range d.Terms {
		bag.AddN(AppendWord(word[:0], t.Rank), int(t.N))
	}
}

// Stored returns the document as the store counts it. It shares no memory with d.
func (d *Document) Stored() count.Document {
	out := count.Document{ID: d.ID(), Class: ClassName(d.Class), Terms: make([]count.TermCount, len(d.Terms))}
	words := make([]byte, 0, 10*len(d.Terms))
	for i, t := range d.Terms {
		from := len(words)
		words = AppendWord(words, t.Rank)
		out.Terms[i] = count.TermCount{Term: words[from:len(words):len(words)], N: uint8(min(t.N, count.MaxCount))}
	}
	return out
}

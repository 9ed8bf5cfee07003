package tokenize

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// A sample has half of the grams of a text, each once, wherever they stand, and nobody can make
// it long.
func TestAppendGrams(t *testing.T) {
	t.Parallel()
	if got := appendGrams([]uint16{7}, bytes.Repeat([]byte("abcd"), 60)); len(got) < 2 || len(got) > 1+4 || got[0] != 7 {
		t.Errorf("the grams of a text that repeats four: %v", got)
	}
	if got := appendGrams(nil, []byte("abc")); len(got) != 0 {
		t.Errorf("the grams of three bytes: %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 1500)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	sample := appendGrams(nil, text)
	if n := len(sample); n < 750-60 || n > 750+60 {
		t.Errorf("%d of 1500 grams, want about a half", n)
	}
	turned := appendGrams(nil, slices.Concat(text[500:], text[:503]))
	slices.Sort(sample)
	slices.Sort(turned)
	shared := 0
	for _, g := range turned {
		if _, found := slices.BinarySearch(sample, g); found {
			shared++
		}
	}
	if shared < len(sample)-3 {
		t.Errorf("%d of %d grams at other places", shared, len(sample))
	}
	for len(text) < 1<<16 {
		text = append(text, byte(r.Uint32()))
	}
	if n := len(appendGrams(nil, text)); n != mostGrams {
		t.Errorf("%d grams of a long text", n)
	}
}

func BenchmarkAppendGrams(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 3000)
	for i := range text {
		text[i] = ' ' + byte(r.IntN(64))
	}
	dst := make([]uint16, 0, mostGrams)
	for b.Loop() {
		dst = appendGrams(dst[:0], text)
	}
}

package sketch

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// A short text has all of its grams, each once, and a long one a sample of them that does not
// depend on where they stand.
func TestGrams(t *testing.T) {
	t.Parallel()
	if got := Grams([]uint16{7}, bytes.Repeat([]byte("abcd"), 60)); len(got) != 1+4 || got[0] != 7 {
		t.Errorf("the grams of a text that repeats four: %v", got)
	}
	if got := Grams(nil, []byte("abc")); len(got) != 0 {
		t.Errorf("the grams of three bytes: %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 3000)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	sample := Grams(nil, text)
	if n := len(sample); n < 3000/16-40 || n > 3000/16+40 {
		t.Errorf("%d of 3000 grams, want about a sixteenth", n)
	}
	turned := Grams(nil, slices.Concat(text[1000:], text[:1003]))
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
}

// Samples of texts that share half of their features share half, and nobody can make them long.
func TestFeatures(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	var a, b []uint64
	for range 2000 {
		both := r.Uint64()
		a, b = append(a, both, r.Uint64()), append(b, both, r.Uint64())
	}
	of, shared := Features(nil, a), 0
	for _, x := range Features(nil, b) {
		if slices.Contains(of, x) {
			shared++
		}
	}
	if len(of) < Size*3/4 || len(of) > Size*5/4 || shared < len(of)/2-25 || shared > len(of)/2+25 {
		t.Errorf("%d of %d features shared", shared, len(of))
	}
	few := Features(nil, a[:Size])
	if len(few) != Size {
		t.Errorf("%d of %d features", len(few), Size)
	}
	for i := range a {
		a[i] >>= 20
	}
	if n := len(Features(nil, a)); n != most {
		t.Errorf("%d features that were made to be in the sample", n)
	}
}

func BenchmarkGrams(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 3000)
	for i := range text {
		text[i] = ' ' + byte(r.IntN(64))
	}
	dst := make([]uint16, 0, Size)
	for b.Loop() {
		dst = Grams(dst[:0], text)
	}
}

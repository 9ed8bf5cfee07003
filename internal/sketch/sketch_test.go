package sketch

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// grams is Grams as it is defined, of all hashes.
func grams(text []byte) []uint16 {
	var hashes []uint32
	for i := 0; i+gram <= len(text); i++ {
		x := uint32(text[i])<<24 | uint32(text[i+1])<<16 | uint32(text[i+2])<<8 | uint32(text[i+3])
		hashes = append(hashes, uint32(uint64(x)*0x9e3779b97f4a7c15>>32))
	}
	return Features(nil, hashes)
}

func TestGrams(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 3000 {
		text := make([]byte, r.IntN(n+1))
		for i := range text {
			text[i] = 'a' + byte(r.IntN(1+n%26))
		}
		if got, want := Grams(nil, text), grams(text); !slices.Equal(got, want) {
			t.Fatalf("%q: %d grams, want %d", text, len(got), len(want))
		}
	}
	if got := Grams([]uint16{7}, bytes.Repeat([]byte("abcd"), 1000)); len(got) != 1+4 || got[0] != 7 {
		t.Errorf("the grams of a text that repeats four: %v", got)
	}
}

// Samples of texts that share half of their features share about a third, as the texts do.
func TestResemblance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	var a, b []uint32
	for range 2000 {
		both := r.Uint32()
		a, b = append(a, both, r.Uint32()), append(b, both, r.Uint32())
	}
	of, shared := Features(nil, a), 0
	for _, x := range Features(nil, b) {
		if slices.Contains(of, x) {
			shared++
		}
	}
	if shared < Most/2-25 || shared > Most/2+35 {
		t.Errorf("%d of %d features shared", shared, Most)
	}
}

func BenchmarkGrams(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 3000)
	for i := range text {
		text[i] = ' ' + byte(r.IntN(64))
	}
	dst := make([]uint16, 0, Most)
	for b.Loop() {
		dst = Grams(dst[:0], text)
	}
}

package mail

import (
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

func BenchmarkTokenize(b *testing.B) {
	for _, c := range []struct{ name, raw string }{
		{"Plain", plainLetter},
		{"Alternative", alternative},
		{"Japanese", escapes},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, []byte(c.raw)) })
	}
}

func benchmark(b *testing.B, raw []byte) {
	a, err := tokenize.New("")
	if err != nil {
		b.Fatal(err)
	}
	var bag tokenize.Bag
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		bag.Reset()
		Read(a, &bag, raw)
	}
}

func BenchmarkID(b *testing.B) {
	raw := []byte(alternative)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		ID(raw)
	}
}

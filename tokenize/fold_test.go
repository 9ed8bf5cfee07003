package tokenize

import (
	"math/rand/v2"
	"testing"
	"unicode"

	"golang.org/x/text/cases"

	"github.com/polya-classifier/polya/internal/raced"
)

// Every character, and texts of which some are not UTF-8, are folded as x/text folds them.
func TestCaseFolding(t *testing.T) {
	raced.Skip(t)
	peer := cases.Fold()
	check := func(text []byte) {
		t.Helper()
		if got, want := string(appendCaseFolded(nil, text)), string(peer.Bytes(text)); got != want {
			t.Fatalf("%q folds to %q, want %q", text, got, want)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		check([]byte(string(r)))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		var text []byte
		for range rng.IntN(8) {
			switch rng.IntN(3) {
			case 0:
				text = append(text, byte(rng.Uint32()))
			case 1:
				text = append(text, string(rng.Int32N(0x600))...)
			default:
				text = append(text, string(rng.Int32N(unicode.MaxRune))...)
			}
		}
		check(text)
	}
}

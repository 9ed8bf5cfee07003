package tokenize

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/segment"

	"github.com/polya-classifier/polya/internal/raced"
)

// segmentWords are the words of ASCII text as segment finds them, parted at colons and
// underscores, and without words of neither letter nor digit.
func segmentWords(t testing.TB, text []byte) []string {
	tokens, _, n, err := segment.SegmentWordsDirect(text, make([][]byte, 0, 16), make([]int, 0, 16))
	if err != nil || n != len(text) {
		t.Fatalf("segment read %d of %d bytes of %q: %v", n, len(text), text, err)
	}
	var words []string
	for _, token := range tokens {
		for part := range bytes.FieldsFuncSeq(token, parts) {
			if slices.ContainsFunc(part, func(c byte) bool { return class[c]&alnum != 0 }) {
				words = append(words, string(part))
			}
		}
	}
	return words
}

func asciiWords(text []byte) (words []string) {
	for i := 0; ; {
		start, end, _ := wordASCII(text, i)
		if start == end {
			return words
		}
		words = append(words, string(text[start:end]))
		i = end
	}
}

func compareASCII(t testing.TB, text []byte) {
	t.Helper()
	if got, want := asciiWords(text), segmentWords(t, text); !slices.Equal(got, want) {
		t.Errorf("%q:\n got %q\nwant %q", text, got, want)
	}
}

func TestWordASCII(t *testing.T) {
	for _, text := range []string{
		"", "a", "_", "__ _", "don't 'quoted' rock'n'roll ''", "U.S.A. v.i.a.g.r.a e.g.", "1,234.56 1,a a,1 1;2 1..2",
		"foo_bar _a a_ _1_ a__b a_.b a._b", "key:value 10:30 a::b", "john.doe@example.com x/y-z+w", "a.1 1.a 1'2 a'1",
		"\x00\x01a\x7fb\r\nc\vd\fe", "tail.", "tail'", "3.", ".5", "a'", englishText,
	} {
		compareASCII(t, []byte(text))
	}
}

func TestASCIIAgainstSegment(t *testing.T) {
	raced.Skip(t)
	rounds := 300_000
	if testing.Short() {
		rounds = 20_000
	}
	// Mostly of what rules are about, sometimes of any character.
	const adversarial = "aB1_.',;:\" \n\r-"
	random := rand.New(rand.NewPCG(1, 2))
	words := analyzer(t, "polya-7 channel=off min=2 digits=off")
	for round := range rounds {
		text := make([]byte, random.IntN(40))
		for i := range text {
			text[i] = adversarial[random.IntN(len(adversarial))]
			if random.IntN(10) == 0 {
				text[i] = byte(random.IntN(128))
			}
		}
		compareASCII(t, text)
		if t.Failed() {
			return
		}
		if round%8 > 0 {
			continue
		}
		var got, want Bag
		words.Text(&got, "", text)
		for _, word := range segmentWords(t, text) {
			if len(word) >= 2 {
				want.Add([]byte(strings.ToLower(word)))
			}
		}
		same(t, &got, &want)
		if t.Failed() {
			t.Fatalf("%q", text)
		}
	}
}

func FuzzASCII(f *testing.F) {
	f.Add([]byte(englishText))
	f.Add([]byte("a.b'c_1,2;3:d\r\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.Clone(text)
		for i := range text {
			text[i] &= 0x7F
		}
		compareASCII(t, text)
	})
}

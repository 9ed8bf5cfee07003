package encoded

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store/count"
)

// packable returns documents of terms of all lengths, that share all lengths, with small and large counts.
func packable(t testing.TB) (docs []*Document) {
	for _, n := range []uint8{1, 2, 255} {
		doc := count.Document{ID: count.DocID{7, n}, Time: time.Unix(1e9, 0), Source: "book"}
		for _, shared := range []int{0, 1, 6, 7, 8, 31, 200} {
			for _, rest := range []int{1, 15, 16, 17, 55} {
				term := strings.Repeat("m", shared) + string(rune('a'+rest%12)) + strings.Repeat("z", rest-1)
				doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(term), N: n})
			}
		}
		doc.Dropped = []count.Pair{{N: 3, Count: 2}}[:n%2]
		b, err := Encode(&doc)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, b)
	}
	return docs
}

func TestPacked(t *testing.T) {
	t.Parallel()
	for _, b := range packable(t) {
		packed := b.AppendPacked(nil)
		again, rest, err := ParsePacked(packed)
		if err != nil || len(rest) != 0 || !bytes.Equal(again.Raw, b.Raw) || !bytes.Equal(again.terms, b.terms) {
			t.Errorf("%v: %x\nbecomes %x", err, b.Raw, again.Raw)
		}
		for n := range packed {
			if short, _, err := ParsePacked(packed[:n]); err == nil && len(short.Dropped) == len(b.Dropped) {
				t.Errorf("%d of %d bytes are a document: %x", n, len(packed), packed[:n])
			}
		}
		if _, rest, err := ParsePacked(append(packed, 0)); err == nil && len(rest) == 0 {
			t.Error("a byte too many is none")
		}
	}
}

// FuzzParsePacked holds that whatever is accepted means the same when it is packed again.
func FuzzParsePacked(f *testing.F) {
	for _, b := range packable(f) {
		f.Add(b.AppendPacked(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, rest, err := ParsePacked(data)
		if err != nil || len(rest) != 0 {
			return
		}
		if again, _, err := ParsePacked(b.AppendPacked(nil)); err != nil || !bytes.Equal(again.Raw, b.Raw) {
			t.Errorf("%x is\n%x, and again\n%x, %v", data, b.Raw, again.Raw, err)
		}
	})
}

package tokenize

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// distinct is n bytes of words, each another.
func distinct(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.Bytes()
}

// TestLongText holds that of a text that is too long the beginning and the end are
// counted, that a term says so, and that its length makes no difference to the cost.
func TestLongText(t *testing.T) {
	raced.Skip(t)
	a := analyzer(t, "polya-7 channel=off")
	filler := distinct(16 << 20)
	text := append(append([]byte("plum "), filler...), " cherry"...)
	for name, count := range map[string]func(*Bag){
		"text":   func(b *Bag) { a.Text(b, "", text) },
		"HTML":   func(b *Bag) { a.HTML(b, text) },
		"hidden": func(b *Bag) { a.HTML(b, append([]byte("plum <p hidden>"), append(text, "</p> cherry"...)...)) },
	} {
		var bag Bag
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		count(&bag)
		runtime.ReadMemStats(&after)
		for _, term := range []string{"plum", "cherry", "limit:text"} {
			if bag.count([]byte(term)) != 1 {
				t.Errorf("%s: no %s", name, term)
			}
		}
		if bag.Len() < MaxText/20 || bag.Len() > MaxText/8 {
			t.Errorf("%s: %d terms", name, bag.Len())
		}
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 256<<20 {
			t.Errorf("%s: %d MB allocated", name, spent>>20)
		}
	}
}

// TestMarkupIsNoText has words between more markup than there may be text.
func TestMarkupIsNoText(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	long := strings.Repeat("xx yy ", MaxText/2)
	for _, markup := range []string{"<!--" + long + "-->", "<style>" + long + "</style>", "<script>" + long + "</script>", "<div hidden>" + long + "</div>"} {
		got := terms(func(b *Bag) { a.HTML(b, []byte(markup+"plum"+markup+"cherry"+markup)) })
		if !strings.HasPrefix(got, "plumcherry") {
			t.Errorf("%.10s: %.100s", markup, got)
		}
	}
}

// TestTextWithinTheLimit holds that a text of just MaxText bytes is counted whole.
func TestTextWithinTheLimit(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off min=1")
	for _, n := range []int{MaxText, MaxText + 1} {
		var bag Bag
		a.Text(&bag, "x", bytes.Repeat([]byte("a"), n))
		if got := bag.count([]byte("limit:text")); got != n-MaxText {
			t.Errorf("%d bytes: limit:text %d times", n, got)
		}
	}
}

// TestLigatures holds that a document of a character that becomes eighteen letters is not
// made eleven times as long, in however many texts and links it lies; that a term says so;
// and that what stands behind these, and among them, is read.
func TestLigatures(t *testing.T) {
	t.Parallel()
	a := analyzer(t, "polya-7 channel=off")
	ligatures := strings.Repeat("\ufdfa", 2000) // six times as long would be the limit
	for name, count := range map[string]func(*Bag){
		"a text": func(b *Bag) { a.Text(b, "", []byte(strings.Repeat(ligatures, 50)+"'plum \ufdfa cherry")) },
		"texts": func(b *Bag) {
			for range 50 {
				a.Text(b, "", []byte(ligatures))
			}
			a.Text(b, "", []byte(ligatures+"'plum "+"\ufdfa cherry"))
		},
		"hosts": func(b *Bag) {
			for range 300 {
				a.URL(b, []byte("http://"+ligatures[:999]))
			}
			a.Text(b, "", []byte(ligatures+"'plum "+"\ufdfa cherry"))
		},
	} {
		var b Bag
		count(&b)
		if b.grown < maxGrowth || b.grown > maxGrowth+11*blockBytes {
			t.Errorf("%s: longer by %d bytes", name, b.grown)
		}
		for term, n := range map[string]int{limitGrowth: 1, "plum": 1, "cherry": 1} {
			if got := b.count([]byte(term)); got != n {
				t.Errorf("%s: %s %d times, want %d", name, term, got, n)
			}
		}
		b.Reset()
		if a.Text(&b, "", []byte(strings.Repeat("\ufdfa", 100)+" "+strings.Repeat("ß", 50_000))); b.count([]byte(limitGrowth)) > 0 {
			t.Errorf("%s: the next document has the limit too", name)
		}
	}
}

package tokenize

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// counts is what a Bag holds, as a map.
func counts(b *Bag) map[string]int {
	m := make(map[string]int, b.Len())
	for i := range b.Len() {
		term, n := b.At(i)
		m[string(term)] += n
	}
	return m
}

func TestBagAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Bag
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			b.Reset()
			model := map[string]int{}
			var order []string
			for range rapid.IntRange(0, 600).Draw(t, "terms") {
				term := fmt.Sprint(rapid.IntRange(0, 400).Draw(t, "term"))
				n := rapid.SampledFrom([]int{0, 1, 1, 1, 2, 200}).Draw(t, "n")
				if n > 0 && model[term] == 0 {
					order = append(order, term)
				}
				model[term] = min(MaxCount, model[term]+n)
				if model[term] == 0 {
					delete(model, term)
				}
				b.AddN([]byte(term), n)
				if rapid.IntRange(0, 99).Draw(t, "sort") == 0 {
					b.Sort()
					slices.Sort(order)
				}
			}
			if got := counts(&b); !maps.Equal(got, model) {
				t.Fatalf("got %v, want %v", got, model)
			}
			tokens := 0
			for i, term := range order {
				if got, _ := b.At(i); string(got) != term {
					t.Fatalf("term %d is %q, want %q", i, got, term)
				}
				tokens += model[term]
			}
			if b.Len() != len(model) || b.Tokens() != tokens {
				t.Fatalf("Len %d and Tokens %d, want %d and %d", b.Len(), b.Tokens(), len(model), tokens)
			}
		}
	})
}

func TestBagCaps(t *testing.T) {
	var b Bag
	for range 1000 {
		b.Add([]byte("a"))
	}
	b.AddN([]byte("b"), math.MaxInt)
	b.AddN([]byte("c"), -1)
	b.Add(nil)
	if got := fmt.Sprint(counts(&b)); got != "map[a:255 b:255]" || b.Tokens() != 2*MaxCount {
		t.Errorf("got %s and %d tokens", got, b.Tokens())
	}
}

func TestBagCutsLongTerms(t *testing.T) {
	tests := []struct{ term, want string }{
		{strings.Repeat("x", 128), strings.Repeat("x", 128)},
		{strings.Repeat("x", 129), strings.Repeat("x", 128)},
		{strings.Repeat("é", 100), strings.Repeat("é", 64)},
		{"x" + strings.Repeat("é", 100), "x" + strings.Repeat("é", 63)},
		{strings.Repeat("語", 50), strings.Repeat("語", 42)},
		{strings.Repeat("𝄞", 50), strings.Repeat("𝄞", 32)},
		{"xyz" + strings.Repeat("𝄞", 50), "xyz" + strings.Repeat("𝄞", 31)},
		{strings.Repeat("\x80", 500), strings.Repeat("\x80", 128)},
	}
	for _, tt := range tests {
		var b Bag
		b.Add([]byte(tt.term))
		if got, _ := b.At(0); string(got) != tt.want {
			t.Errorf("%q became %q, want %q", tt.term, got, tt.want)
		}
		if b.Add([]byte(tt.want)); b.Len() != 1 {
			t.Errorf("%q is not the term that %q was cut to", tt.want, tt.term)
		}
	}
}

func TestBagCopiesTerms(t *testing.T) {
	var b Bag
	term := []byte("abc")
	b.Add(term)
	term[0] = 'x'
	if got, _ := b.At(0); string(got) != "abc" {
		t.Errorf("the bag holds %q", got)
	}
	// What At gives out cannot be appended to at the cost of the next term.
	b.Add([]byte("def"))
	first, _ := b.At(0)
	_ = append(first, "!!!"...)
	if got, _ := b.At(1); string(got) != "def" {
		t.Errorf("the second term became %q", got)
	}
}

func TestBagResetOfManySlots(t *testing.T) {
	var b Bag
	for i := range 20000 {
		b.Add(fmt.Append(nil, i))
	}
	for round := range 50 {
		b.Reset()
		if b.Len() != 0 || b.Tokens() != 0 {
			t.Fatal("not empty after Reset")
		}
		for i, slot := range b.slots {
			if slot != 0 {
				t.Fatalf("round %d: slot %d still holds %d", round, i, slot)
			}
		}
		for i := range 1 + round*37 {
			b.Add(fmt.Append(nil, "x", i*round))
		}
	}
}

func TestBagReuseAllocatesNothing(t *testing.T) {
	terms := bytes.Fields([]byte(englishText))
	var b Bag
	if n := testing.AllocsPerRun(20, func() {
		b.Reset()
		for _, term := range terms {
			b.Add(term)
		}
		b.Sort()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzBagTerm(f *testing.F) {
	f.Add([]byte("term"), []byte("ö"))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		var b Bag
		b.Add(x)
		b.Add(y)
		b.Add(x)
		for i := range b.Len() {
			term, _ := b.At(i)
			if len(term) == 0 || len(term) > MaxTermBytes {
				t.Fatalf("a term of %d bytes", len(term))
			}
			if !bytes.HasPrefix(x, term) && !bytes.HasPrefix(y, term) {
				t.Fatalf("%q is the beginning of neither %q nor %q", term, x, y)
			}
			if utf8.Valid(x) && utf8.Valid(y) && !utf8.Valid(term) {
				t.Fatalf("%q is not UTF-8", term)
			}
		}
	})
}

// Terms with long common beginnings, zeros and all lengths come in byte order.
func TestBagSortOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stem := rapid.SampledFrom([]string{"", "a", "received:", "subject:\x00\x00", "same six and more:"})
		var b Bag
		for range rapid.IntRange(0, 300).Draw(t, "terms") {
			tail := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, 'a', 'b', 0xff}), 0, 9).Draw(t, "tail")
			b.Add(append([]byte(stem.Draw(t, "stem")), tail...))
		}
		want := map[string]int{}
		for i := range b.Len() {
			term, n := b.At(i)
			want[string(term)] = n
		}
		b.Sort()
		last := []byte(nil)
		for i := range b.Len() {
			term, n := b.At(i)
			if i > 0 && bytes.Compare(last, term) >= 0 {
				t.Fatalf("%q comes before %q", last, term)
			}
			if want[string(term)] != n {
				t.Fatalf("%q has count %d, want %d", term, n, want[string(term)])
			}
			last = term
		}
	})
}

package tokenize

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// englishText is some text for tests that need a page of it.
const englishText = `The kettle had been on the stove for some time before anybody in the house thought of tea. Outside,
	the rain that had started on Tuesday was still falling, and the road to the village had turned into a long brown
	river. "We shan't get the letters today," said Margaret, who didn't much care. Her brother wasn't so sure: 3,000
	words were due by 10:30 on Friday, and nothing but an e-mail or a postman with wings would help him. He had written
	to the editor (twice!) at half-past nine, from the attic where the line was best; the answer, if there was one, lay
	somewhere between here and there. O'Neill, the dog, slept. It was, all in all, a day like the 364 others.`

func analyzer(t testing.TB, spec string) *Analyzer {
	t.Helper()
	a, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// terms are the terms that count puts into a Bag, in order of first
// occurrence, with *n behind those that come n times.
func terms(count func(*Bag)) string {
	var b Bag
	count(&b)
	return list(&b)
}

func list(b *Bag) string {
	var out []string
	for i := range b.Len() {
		term, n := b.At(i)
		word := string(term)
		if n > 1 {
			word = fmt.Sprintf("%s*%d", term, n)
		}
		out = append(out, word)
	}
	return strings.Join(out, "|")
}

func textTerms(a *Analyzer, text string) string {
	return terms(func(b *Bag) { a.Text(b, "", []byte(text)) })
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Errorf(format string, args ...any)
}

// same fails the test unless both bags count the same.
func same(t failer, got, want *Bag) {
	g, w := counts(got), counts(want)
	if maps.Equal(g, w) {
		return
	}
	for _, term := range slices.SortedFunc(maps.Keys(w), cmp.Compare[string]) {
		if g[term] != w[term] {
			t.Errorf("%q counted %d times, want %d", term, g[term], w[term])
		}
	}
	for term := range g {
		if w[term] == 0 {
			t.Errorf("%q counted %d times, want none", term, g[term])
		}
	}
}

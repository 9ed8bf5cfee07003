package evasion

import (
	"bytes"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

func sample(t *testing.T) *corpus {
	t.Helper()
	return newCorpus("../../testdata/mail/train", "../../testdata/mail/held")
}

// terms are the terms of a message.
func terms(t *testing.T, raw []byte) map[string]bool {
	t.Helper()
	a, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	var bag tokenize.Bag
	mail.Read(a, &bag, raw)
	all := make(map[string]bool)
	for i := range bag.Len() {
		term, _ := bag.At(i)
		all[string(term)] = true
	}
	return all
}

// An attack leaves the words of the spam and adds the ones it has.
func TestAttacksAddWords(t *testing.T) {
	c := sample(t)
	good := c.goodWords(50)
	for _, a := range attacks(c) {
		for i, raw := range c.spams {
			changed := terms(t, a.change(i, raw))
			before := terms(t, raw)
			for term := range before {
				// A word of the subject may go with it, and so may the length of a number.
				if !strings.Contains(term, ":") && term[0] != '#' && !before["subject:"+term] && !changed[term] {
					t.Fatalf("%s, spam %d: lost the word %q", a.name, i, term)
				}
			}
			if !strings.Contains(a.name, "good") {
				continue
			}
			for _, word := range good {
				if !changed[word] && !changed["invisible:"+word] {
					t.Fatalf("%s, spam %d: has no %q", a.name, i, word)
				}
			}
		}
	}
}

// Good words are in ham and not in spam.
func TestGoodWords(t *testing.T) {
	c := sample(t)
	inHam, inSpam := frequencies(c.hams), frequencies(c.spams)
	good := c.goodWords(20)
	if len(good) != 20 {
		t.Fatalf("%d words", len(good))
	}
	for _, word := range good {
		if inHam[word]*len(c.spams) <= inSpam[word]*len(c.hams) {
			t.Errorf("%q is in %d of %d hams and %d of %d spams", word, inHam[word], len(c.hams), inSpam[word], len(c.spams))
		}
	}
}

// The table has a row for honest ham, honest spam and each attack.
func TestTable(t *testing.T) {
	c := sample(t)
	var out bytes.Buffer
	table(t.Context(), &out, c, 5)
	names := []string{"honest ham", "honest spam"}
	for _, a := range attacks(c) {
		names = append(names, a.name)
	}
	for _, name := range names {
		if !strings.Contains(out.String(), "\n| "+name+" | polya | ") {
			t.Errorf("no row %q in\n%s", name, out.String())
		}
	}
}

func TestSummary(t *testing.T) {
	got := summary([]harness.Verdict{{Spam: true, Score: 3}, {Spam: true, Unsure: true, Score: 1}, {Score: -2}, {Score: -4}})
	if want := "25.0 | 25.0 | 50.0 | -2.5, -0.5, 1.5"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

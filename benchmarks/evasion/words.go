package evasion

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// word matches the words that can be added to a message of any charset.
var word = regexp.MustCompile(`^[a-z]{3,}$`)

// frequencies returns the number of messages that have each word of text.
func frequencies(messages [][]byte) map[string]int {
	analyzer := harness.Must(tokenize.New(""))
	n := make(map[string]int)
	var bag tokenize.Bag
	for _, m := range messages {
		bag.Reset()
		mail.Read(analyzer, &bag, m)
		for i := range bag.Len() {
			if term, _ := bag.At(i); word.Match(term) {
				n[string(term)]++
			}
		}
	}
	return n
}

// goodWords returns the words that discriminate best between ham and spam, with the greatest
//
//	n_ham log(p_ham / p_spam),
//
// n the messages that have the word and p their share plus one half of a message.
func (c *corpus) goodWords(most int) []string {
	inHam, inSpam := frequencies(c.hams), frequencies(c.spams)
	worth := make(map[string]float64, len(inHam))
	for word, n := range inHam {
		p := (float64(n) + 0.5) / float64(len(c.hams))
		q := (float64(inSpam[word]) + 0.5) / float64(len(c.spams))
		worth[word] = float64(n) * math.Log(p/q)
	}
	words := slices.SortedFunc(maps.Keys(worth), func(a, b string) int {
		return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(a, b))
	})
	return words[:min(len(words), most)]
}

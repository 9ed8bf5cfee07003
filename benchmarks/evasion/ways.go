package evasion

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// A way writes the text of a spam so that a mail program shows its words and a filter may
// read other ones.
type way struct {
	group, name string

	// content returns the fields Content-… and the body of a message.
	content func(t text) string
}

// text is what a spam says.
type text struct {
	words []string // as shown
	chaff []string // words of honest mail, for what is hidden
}

const (
	leastWords, mostWords = 15, 60
	chaffWords            = 120
)

// textOf returns the different visible words of a message, nil if there are too few.
func textOf(raw []byte) (words []string) {
	met := map[string]bool{}
	for _, p := range mail.Show(harness.Must(tokenize.New("")), raw, nil) {
		if p.Name != "" || p.Header {
			continue
		}
		for _, w := range strings.Fields(strings.ToLower(p.Text)) {
			if word.MatchString(w) && len(w) < 16 && !met[w] && len(words) < mostWords {
				met[w] = true
				words = append(words, w)
			}
		}
	}
	if len(words) < leastWords {
		return nil
	}
	return words
}

// recovered returns the share of the shown words that are terms of a message, less the share
// of the hidden words that are.
func recovered(a *tokenize.Analyzer, raw []byte, t text) float64 {
	var bag tokenize.Bag
	mail.Read(a, &bag, raw)
	has := map[string]bool{}
	for i := range bag.Len() {
		term, _ := bag.At(i)
		has[string(term)] = true
	}
	share := func(words []string) float64 {
		n := 0
		for _, w := range words {
			if has[w] {
				n++
			}
		}
		return float64(n) / float64(len(words))
	}
	return share(t.words) * (1 - share(t.chaff))
}

// waysTable writes for each way the words recovered, and the answers to the spam with its
// own header and with one of honest mail.
func waysTable(ctx context.Context, w io.Writer, c *corpus, p *classify.Classifier, others []filter, spams int) {
	analyzer := harness.Must(tokenize.New(""))
	type written struct {
		text
		own, honest message
	}
	var list []written
	good := c.goodWords(chaffWords)
	for _, raw := range c.spams {
		if words := textOf(raw); words != nil {
			t := text{words: words}
			for _, g := range good {
				if !bytes.Contains([]byte(" "+strings.Join(words, " ")+" "), []byte(" "+g+" ")) {
					t.chaff = append(t.chaff, g)
				}
			}
			list = append(list, written{t, parse(raw), parse(c.hams[len(list)%len(c.hams)])})
		}
	}
	keep := harness.Sampled(list, spams)
	fmt.Fprintf(w, "\n%d spams with their words written in %d ways\n\n", len(keep), len(ways))
	fmt.Fprintln(w, "| group | way | words recovered % | own header: spam/unsure/ham | honest header |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- |")
	for _, way := range ways {
		share := 0.
		var withOwn, withHonest [][]byte
		for _, x := range keep {
			body := way.content(x.text)
			withOwn = append(withOwn, x.own.around(body))
			withHonest = append(withHonest, x.honest.around(body))
			share += recovered(analyzer, []byte(neutral+body), x.text) / float64(len(keep))
		}
		fmt.Fprintf(w, "| %s | %s | %.1f | %s | %s", way.group, way.name, 100*share, tally(polya(p, withOwn, false)), tally(polya(p, withHonest, false)))
		for _, f := range others {
			fmt.Fprintf(w, "; %s %s", f.name, tally(f.ask(withHonest)))
		}
		fmt.Fprintln(w, " |")
	}
}

const neutral = "From: " + stranger + "\nTo: " + victim + "\nMIME-Version: 1.0\n"

// around returns the header of m with another content.
func (m message) around(content string) []byte {
	return []byte(string(m.fields) + "MIME-Version: 1.0\n" + content)
}

// tally returns the shares of the answers in percent.
func tally(verdicts []harness.Verdict) string {
	var t harness.Tally
	for _, v := range verdicts {
		t.Add(v.Spam, v.Unsure)
	}
	n := len(verdicts)
	return harness.Percent(t.Yes, n, 0) + "/" + harness.Percent(t.Unsure, n, 0) + "/" + harness.Percent(t.No, n, 0)
}

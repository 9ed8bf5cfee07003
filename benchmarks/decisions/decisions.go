// Package decisions measures what polya makes of its probabilities under everyday conditions: wrong
// labels, hams of one kind, folders in order of time, and how many sure answers are wrong. Documents are drawn with a fixed seed, and nothing is asked that was
// learned.
package decisions

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/benchmarks/peers"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("decisions [flags] CORPUS (with the folders ham and spam; with order.txt; or with train and test as accuracy -cut writes it)")
	draws := f.Int("draws", 3, "how often documents are drawn")
	dir := harness.Parse(f, args, 1, 1)[0]
	has := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	switch {
	case has("train"):
		sure(harness.Folders(filepath.Join(dir, "train")), harness.Folders(filepath.Join(dir, "test")))
	case has("order.txt"):
		folders(read(harness.Ordered(dir)))
	default:
		all := read(harness.Folders(dir))
		sided(all, *draws)
		labels(ctx, all, *draws)
	}
}

// spam is the class that a filter looks for.
const spam = "spam"

var otherClass = map[string]string{"ham": spam, spam: "ham"}

// document is a document of a corpus, with the class that it is learned as.
type document struct {
	harness.Document
	true string
	doc  classify.Document
}

// read makes documents of files.
func read(files []harness.Document) (list []document) {
	c := harness.Memory(nil)
	defer c.Close()
	for _, f := range files {
		d := document{f, f.Class, c.Document(f.Raw)}
		if corpus.IsMessage(f.Raw) {
			d.doc = mail.Document(c, f.Raw)
		}
		list = append(list, d)
	}
	return list
}

// learned returns a database that has learned the documents and answers by d.
func learned(docs []document, d decision.Decision) *classify.Classifier {
	c := harness.Memory(d)
	harness.Learn(c, docs, func(d document) (string, classify.Document) { return d.Class, d.doc })
	return c
}

// byClass returns the documents of each class, in an order drawn by seed.
func byClass(docs []document, seed uint64) map[string][]document {
	by := map[string][]document{}
	for _, d := range harness.Shuffled(docs, seed) {
		by[d.true] = append(by[d.true], d)
	}
	return by
}

// must returns the first n documents and the others. It ends the measure if there are fewer.
func must(docs []document, n int) (first, others []document) {
	if len(docs) < n {
		harness.Failf("%d documents of a class are too few: the measure takes %d", len(docs), n)
	}
	return docs[:n], docs[n:]
}

// answers are those of a filter for spam, to documents of spam and to all others.
type answers struct{ spams, hams harness.Tally }

func (a *answers) add(d document, yes, unsure bool) {
	if d.true == spam {
		a.spams.Add(yes, unsure)
	} else {
		a.hams.Add(yes, unsure)
	}
}

// labels measures a filter that has learned wrong labels, beside bogofilter: 1,100 messages
// of each class are learned, and 700 of each asked about.
func labels(ctx context.Context, all []document, draws int) {
	const taught, asks = 1100, 700
	harness.Head("draw", "wrong of ham %", "wrong of spam %", "spams yes/unsure/no", "hams", "bogofilter: spams", "hams")
	for draw := range draws {
		var learn, asked []document
		by := byClass(all, uint64(draw))
		for _, class := range slices.Sorted(maps.Keys(by)) {
			first, others := must(by[class], taught)
			more, _ := must(others, asks)
			learn, asked = append(learn, first...), append(asked, more...)
		}
		for _, wrong := range []map[string]int{{}, {"ham": 1, spam: 1}, {"ham": 2, spam: 2}, {"ham": 5, spam: 5}, {"ham": 5}, {"ham": 10}, {spam: 5}} {
			ours, theirs := filtered(ctx, flipped(learn, wrong, draw), asked)
			harness.Row(draw, wrong["ham"], wrong[spam], ours.spams, ours.hams, theirs.spams, theirs.hams)
		}
	}
}

// flipped returns docs, of which so many percent of each class have the label of the other.
func flipped(docs []document, percent map[string]int, draw int) (list []document) {
	list = slices.Clone(docs)
	of := map[string]int{}
	for _, d := range docs {
		of[d.true]++
	}
	done := map[string]int{}
	for _, i := range rand.New(rand.NewPCG(uint64(draw), 12)).Perm(len(list)) {
		if d := &list[i]; 100*done[d.true] < percent[d.true]*of[d.true] {
			done[d.true]++
			d.Class = otherClass[d.true]
		}
	}
	return list
}

// filtered returns the answers of a filter and of bogofilter, none if it is not installed,
// that have learned the same.
func filtered(ctx context.Context, learn, asked []document) (ours, theirs answers) {
	c := learned(learn, decision.Filter{Positive: spam})
	defer c.Close()
	var taught []harness.Document
	var messages [][]byte
	for _, d := range learn {
		taught = append(taught, d.Document)
	}
	for _, d := range asked {
		r := harness.Classify(c, d.doc)
		ours.add(d, r.Class == spam, r.Unsure)
		messages = append(messages, d.Raw)
	}
	bogofilter := peers.Bogofilter(ctx, taught)
	defer bogofilter.Close()
	for i, v := range bogofilter.Ask(messages) {
		theirs.add(asked[i], v.Spam, v.Unsure)
	}
	return ours, theirs
}

// sure measures the errors of answers above a probability, and how many of them the
// probabilities announce.
func sure(train, test []harness.Document) {
	c := learned(read(train), nil)
	defer c.Close()
	harness.Head("probability above", "answers", "wrong", "announced")
	levels := []float64{.9, .99, .999}
	above, wrong, announced := make([]int, len(levels)), make([]int, len(levels)), make([]float64, len(levels))
	for _, d := range read(test) {
		r := harness.Classify(c, d.doc)
		for i, level := range levels {
			if r.Probability > level {
				above[i]++
				announced[i] += 1 - r.Probability
				if r.Class != d.true {
					wrong[i]++
				}
			}
		}
	}
	for i, level := range levels {
		harness.Row(level, above[i], wrong[i], fmt.Sprintf("%.1f", announced[i]))
	}
}

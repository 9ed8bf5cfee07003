// Package decisions measures what polya does with its ranking under everyday conditions.
// Documents are drawn with a fixed seed, and nothing is asked that was learned.
package decisions

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus/message"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

// modes are the conditions, and the folders that each takes.
var modes = map[string]struct {
	folders int
	run     func(draws int, dirs []string)
}{
	"labels": {1, labels}, "few": {1, few}, "folders": {1, folders}, "junk": {1, junk}, "redrawn": {2, redrawn}, "sure": {2, sure}, "classes": {0, classes},
}

const usage = `decisions MODE [flags] [DIR…]

labels DIR           wrong labels: DIR has folders ham and spam
few DIR              few documents learned: the same
folders DIR          a mailbox in order of time: DIR has order.txt
junk DIR             a Junk folder in order of time: DIR has order.txt
redrawn TRAIN TEST   many classes, a share of the labels drawn anew
sure TRAIN TEST      errors of sure answers, made and announced
classes              very many classes of made documents
`

// Run is the measure.
func Run(_ context.Context, args []string) {
	f := harness.Flags(usage)
	draws := f.Int("draws", 3, "how often documents are drawn")
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	mode, known := modes[name]
	if !known {
		f.Usage()
		harness.Check(harness.ErrUsage)
	}
	mode.run(*draws, harness.Parse(f, args, mode.folders, mode.folders))
}

// spam is the class that the filter looks for.
const spam = "spam"

var filterSpam = decision.Filter{Positive: spam}

// document is a document of a corpus, with the class that it is learned as.
type document struct {
	harness.Document
	true string
	doc  classify.Document
}

// open makes a database in memory that answers by d.
func open(d decision.Decision) *classify.Classifier {
	return harness.Must(classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand, Decision: d}))
}

// read makes documents of files.
func read(files []harness.Document) (list []document) {
	c := open(nil)
	defer c.Close()
	for _, f := range files {
		d := document{f, f.Class, c.Document(f.Raw)}
		if m, is := message.Sure(f.Path, f.Raw); is {
			d.doc = mail.Document(c, m)
		}
		list = append(list, d)
	}
	return list
}

// learned returns a calibrated database that has learned the documents.
func learned(docs []document, d decision.Decision) *classify.Classifier {
	c := open(d)
	var batch classify.Batch
	for i := range docs {
		harness.Check(batch.Train(docs[i].Class, docs[i].doc))
	}
	harness.Must(c.Apply(context.Background(), &batch))
	harness.Must(c.Calibrate(context.Background(), 0))
	return c
}

func ask(c *classify.Classifier, d document) classify.Result {
	return harness.Must(c.Classify(context.Background(), d.doc))
}

// ofClass returns the documents of a class.
func ofClass(docs []document, class string) (list []document) {
	for _, d := range docs {
		if d.true == class {
			list = append(list, d)
		}
	}
	return list
}

// drawn returns the documents in a random order of this draw.
func drawn(docs []document, draw int) []document {
	list := slices.Clone(docs)
	rand.New(rand.NewPCG(uint64(draw), 11)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
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

// filtered returns the answers of a filter and of bogofilter, none if it is not installed,
// which have learned the same.
func filtered(c *classify.Classifier, learn, asked []document) string {
	dir, remove := harness.Scratch("")
	defer remove()
	var ours, theirs answers
	var taught []harness.Document
	var messages [][]byte
	for _, d := range learn {
		taught = append(taught, d.Document)
	}
	for _, d := range asked {
		r := ask(c, d)
		ours.add(d, r.Class == spam, r.Unsure)
		messages = append(messages, d.Raw)
	}
	for i, v := range harness.NewBogofilter(dir, taught, spam).Ask(messages) {
		theirs.add(asked[i], v.Spam, v.Unsure)
	}
	return fmt.Sprintf("spams %v  hams %v  bogofilter %v %v", ours.spams, ours.hams, theirs.spams, theirs.hams)
}

// certainty sums up the answers for documents of many classes.
type certainty struct {
	n, right  int
	loss      float64
	above     [3]int     // .9, .99, .999
	wrong     [3]int     // of these
	announced [3]float64 // wrong ones expected by the probabilities
}

var levels = [3]float64{.9, .99, .999}

func (k *certainty) add(r *classify.Result, class string) {
	k.n++
	right := r.Class == class
	if right {
		k.right++
	}
	k.loss -= math.Log(max(r.ProbabilityOf(class), 1e-6))
	for i, level := range levels {
		if r.Probability > level {
			k.above[i]++
			k.announced[i] += 1 - r.Probability
			if !right {
				k.wrong[i]++
			}
		}
	}
}

// String has the share of right answers, the log loss, and how many sure ones are wrong.
func (k *certainty) String() string {
	n := float64(k.n)
	s := fmt.Sprintf("%.2f %% right, log loss %.4f", 100*float64(k.right)/n, k.loss/n)
	for i, level := range levels {
		s += fmt.Sprintf("; above %v: %d, %d wrong of %.1f", level, k.above[i], k.wrong[i], k.announced[i])
	}
	return s
}

// certain asks about documents.
func certain(c *classify.Classifier, docs []document) *certainty {
	var k certainty
	for _, d := range docs {
		r := ask(c, d)
		k.add(&r, d.true)
	}
	return &k
}

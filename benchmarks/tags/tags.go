// Package tags measures the accuracy of several tags a document, beside scikit-learn's
// one-versus-rest. Where the paths of order.txt begin with train and test, those are the
// parts; else the first half of the documents in order of time is learned. Rows are F1 over all answers (micro), the mean F1 of the tags that some document
// asked about has (macro), precision and recall over all answers, and CPU seconds.
package tags

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

type document struct {
	Path string
	Tags []string
	raw  []byte
}

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("tags [flags] CORPUS (with order.txt)")
	alone := f.Bool("alone", false, "leave scikit-learn out")
	train, test := read(harness.Parse(f, args, 1, 1)[0])
	fmt.Printf("%d documents learned, %d asked about\n", len(train), len(test))
	harness.Head("", "micro", "macro", "precision", "recall", "learn s", "answer s")
	polya(ctx, train, test)
	if !*alone {
		scikitLearn(ctx, train, test)
	}
}

func read(corpus string) (train, test []document) {
	docs := harness.Ordered(corpus)
	root := harness.Must(filepath.Abs(corpus))
	for i, d := range docs {
		path := filepath.ToSlash(harness.Must(filepath.Rel(root, d.Path)))
		part, _, _ := strings.Cut(path, "/")
		learned := part == "train"
		if part != "train" && part != "test" {
			learned = i < len(docs)/2
		}
		into := &test
		if learned {
			into = &train
		}
		*into = append(*into, document{d.Path, strings.Split(d.Class, ","), d.Raw})
	}
	return train, test
}

func polya(ctx context.Context, train, test []document) {
	dir, remove := harness.Scratch("")
	defer remove()
	began := harness.CPU()
	t := harness.Must(tags.Open(filepath.Join(dir, "tags.polya"), tags.Options{ByHand: true, Store: store.Options{Analyzer: tokenize.DefaultSpec}}))
	defer t.Close()
	counted := func(d document) classify.Document {
		bag := new(tokenize.Bag)
		_ = mail.Tokenize(t.Classifier().Analyzer(), bag, d.raw) // broken parts are skipped
		return classify.Document{ID: classify.ContentID([]byte(d.Path)), Bag: bag}
	}
	var b classify.Batch
	for _, d := range train {
		harness.Check(b.Train(harness.Must(count.TagSet(d.Tags...)), counted(d)))
	}
	harness.Must(t.Apply(ctx, &b))
	harness.Check(t.Calibrate(ctx, 0))
	calibrated := harness.CPU()
	likely, spoken := make([][]string, len(test)), make([][]string, len(test))
	for i, d := range test {
		r := harness.Must(t.Score(ctx, counted(d)))
		spoken[i] = r.Tags()
		for _, s := range r.Scores {
			if s.Probability >= .5 {
				likely[i] = append(likely[i], s.Tag)
			}
		}
	}
	learn, answer := (calibrated - began).Seconds(), (harness.CPU() - calibrated).Seconds()
	row("polya, probability from .5 on", test, likely, learn, answer)
	speak := 0
	info := harness.Must(t.Info())
	for _, i := range info.Tags {
		if i.Speaks {
			speak++
		}
	}
	row(fmt.Sprintf("polya, the %d of %d tags that speak", speak, len(info.Tags)), test, spoken, learn, answer)
}

func scikitLearn(ctx context.Context, train, test []document) {
	harness.AskScikit(ctx, "tags", map[string][]document{"train": train, "test": test}, func(d *json.Decoder) {
		var said struct {
			Name          string
			Learn, Answer float64
			Tags          [][]string
		}
		harness.Check(d.Decode(&said))
		row(said.Name, test, said.Tags, said.Learn, said.Answer)
	})
}

func row(name string, test []document, answers [][]string, learn, answer float64) {
	m := measure(test, answers)
	harness.Row(name, harness.Number(m.micro, 4), harness.Number(m.macro, 4), harness.Number(m.precision, 4), harness.Number(m.recall, 4), harness.Number(learn, 1), harness.Number(answer, 1))
}

// measures are over all answers; macro is the mean F1 of the tags that some document has.
type measures struct{ micro, macro, precision, recall float64 }

// tally counts right answers, wrong and missed ones.
type tally [3]int

func (t *tally) f1() float64 { return 2 * float64(t[0]) / float64(max(2*t[0]+t[1]+t[2], 1)) }

func measure(test []document, answers [][]string) measures {
	byTag, all := map[string]*tally{}, tally{}
	add := func(tag string, what int) {
		if byTag[tag] == nil {
			byTag[tag] = new(tally)
		}
		byTag[tag][what]++
		all[what]++
	}
	for i, d := range test {
		for _, tag := range answers[i] {
			if slices.Contains(d.Tags, tag) {
				add(tag, 0)
			} else {
				add(tag, 1)
			}
		}
		for _, tag := range d.Tags {
			if !slices.Contains(answers[i], tag) {
				add(tag, 2)
			}
		}
	}
	sum, n := 0.0, 0
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		if t := byTag[tag]; t[0]+t[2] > 0 {
			sum, n = sum+t.f1(), n+1
		}
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return measures{all.f1(), sum / float64(max(n, 1)), share(all[0], all[0]+all[1]), share(all[0], all[0]+all[2])}
}

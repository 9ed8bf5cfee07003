// Package tags measures the accuracy of several tags a document, beside scikit-learn's
// one-versus-rest. Where the paths of order.txt begin with train and test, those are the
// parts; else the first half of the documents in order of time is learned. Rows are F1 over all answers (micro), the mean F1 of the tags that some document
// asked about has or was answered with (macro), precision and recall over all answers, and CPU seconds.
package tags

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/classify/tags"
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
	train, test := read(harness.Parse(f, args, 1, 1)[0])
	fmt.Printf("%d documents learned, %d asked about\n", len(train), len(test))
	harness.Head("", "micro", "macro", "precision", "recall", "learn s", "answer s")
	polya(ctx, train, test)
	scikitLearn(ctx, train, test)
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
	c := harness.Must(classify.Open(filepath.Join(dir, "tags.polya"), classify.Options{Holds: classify.Tags, Fitting: classify.FitByHand}))
	defer c.Close()
	t := harness.Must(tags.New(c, 0))
	counted := func(d document) classify.Document {
		bag := new(tokenize.Bag)
		mail.Read(c.Analyzer(), bag, d.raw)
		return classify.Document{ID: classify.ContentID([]byte(d.Path)), Bag: bag}
	}
	var b classify.Batch
	for _, d := range train {
		harness.Check(b.Train(harness.Must(count.TagSet(d.Tags...)), counted(d)))
	}
	harness.Must(c.Apply(ctx, &b))
	harness.Must(c.Calibrate(ctx, 0))
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
	var t eval.Tagged
	for i, d := range test {
		t.Add(d.Tags, answers[i], nil)
	}
	m := t.Measures()
	harness.Row(name, harness.Number(m.MicroF1, 4), harness.Number(m.MacroF1, 4), harness.Number(m.Precision, 4), harness.Number(m.Recall, 4), harness.Number(learn, 1), harness.Number(answer, 1))
}

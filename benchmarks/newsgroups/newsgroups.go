//go:build linux

// Package newsgroups measures how long polya takes to answer for a document of a corpus
// with many classes, beside scikit-learn's naive Bayes in memory.
//
// All documents are in memory before a clock starts. All contestants learn the training
// part and classify the test part, in turns, on one core; the time is CPU time of the
// answers only, from the bytes of a document to its class. polya reads the documents as
// mail and looks up the terms in its file.
package newsgroups

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/tokenize"
	parts "github.com/polya-classifier/polya/tokenize/mail"
)

// contestant has learned, and answers for documents: the classes, and the CPU seconds.
type contestant struct {
	name   string
	answer func(docs []harness.Document) (classes []string, seconds float64)
	took   []float64
	right  int
}

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("newsgroups [flags] CORPUS (with train and test)")
	rounds := f.Int("rounds", 3, "so many `times`; the table has medians")
	dir := harness.Parse(f, args, 1, 1)[0]
	train, test := harness.Folders(filepath.Join(dir, "train")), harness.Folders(filepath.Join(dir, "test"))
	scratch, remove := harness.Scratch("")
	defer remove()
	runtime.GOMAXPROCS(1)
	var all []*contestant
	for _, model := range []string{"", "multinomial", "normalised"} {
		all = append(all, polya(harness.Must(os.MkdirTemp(scratch, "")), model, train))
	}
	for _, model := range []string{"MultinomialNB", "ComplementNB"} {
		all = append(all, scikitLearn(ctx, model, train, test))
	}
	for range *rounds {
		for _, c := range all {
			debug.FreeOSMemory()
			classes, seconds := c.answer(test)
			c.took, c.right = append(c.took, seconds), 0
			for i, d := range test {
				if classes[i] == d.Class {
					c.right++
				}
			}
		}
	}
	harness.Head("", "CPU µs a document", "MB a CPU s", "correct %", "times polya")
	for _, c := range all {
		t, n := harness.Median(c.took), float64(len(test))
		harness.Row(c.name, harness.Number(t/n*1e6, 1), harness.Number(harness.Megabytes(test)/t, 1), harness.Percent(c.right, len(test), 2), harness.Number(t/harness.Median(all[0].took), 2))
	}
}

// polya is polya as a library, with a file in dir; its model is the default without a name.
func polya(dir, model string, train []harness.Document) *contestant {
	options := classify.Options{}
	if model != "" {
		options.Model = harness.Must(classify.ParseModel(model))
	}
	c := harness.Must(classify.Open(filepath.Join(dir, "counts"), options))
	harness.Learn(c, train, func(d harness.Document) (string, classify.Document) { return d.Class, mail.Document(c, d.Raw) })
	bag := new(tokenize.Bag)
	return &contestant{name: "polya " + model, answer: func(docs []harness.Document) (classes []string, seconds float64) {
		began := harness.CPU()
		for _, d := range docs {
			bag.Reset()
			parts.Read(c.Analyzer(), bag, d.Raw)
			r := harness.Must(c.Classify(context.Background(), classify.Document{Bag: bag}))
			classes = append(classes, r.Class)
		}
		return classes, (harness.CPU() - began).Seconds()
	}}
}

// scikitLearn is a process with scikit-learn, which answers on request.
func scikitLearn(ctx context.Context, model string, train, test []harness.Document) *contestant {
	cmd := harness.Scikit(ctx, "answers")
	in, out := harness.Must(cmd.StdinPipe()), bufio.NewReader(harness.Must(cmd.StdoutPipe()))
	harness.Check(cmd.Start()) // it ends with its standard input
	harness.Check(json.NewEncoder(in).Encode(map[string]any{"model": model, "train": train, "test": test}))
	if _, err := out.ReadString('\n'); err != nil {
		harness.Failf("%s could not learn: is scikit-learn installed (python3-sklearn)?", harness.Python)
	}
	return &contestant{name: "scikit-learn " + model, answer: func(docs []harness.Document) ([]string, float64) {
		harness.Must(io.WriteString(in, "answer\n"))
		var said struct {
			Seconds float64
			Classes []string
		}
		harness.Check(json.Unmarshal(harness.Must(out.ReadBytes('\n')), &said))
		if len(said.Classes) != len(docs) {
			harness.Failf("%d answers for %d documents", len(said.Classes), len(docs))
		}
		return said.Classes, said.Seconds
	}}
}

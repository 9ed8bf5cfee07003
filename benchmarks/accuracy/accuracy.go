//go:build linux

// Package accuracy cuts a corpus into what is learned and what is asked about, and measures
// polya, scikit-learn's classifiers and, of spam, bogofilter on it.
//
//	parts    what lies in train/ is learned, what lies in test/ is asked about
//	halves   all/CLASS/NAME is learned if the first byte of the MD5 of NAME is even
//	dates    the first half of order.txt is learned, the second asked about
//
// In favour of scikit-learn, the best alpha, features and text may be chosen by the figures
// of the documents asked about.
package accuracy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("accuracy [flags] CORPUS parts|halves|dates")
	polya := f.String("polya", "", "`PATH` of the command polya; without it, it is built")
	cut := f.String("cut", "", "only write the parts to `DIR`/train and DIR/test, for polya eval")
	rest := harness.Parse(f, args, 2, 2)
	learned, asked := parts(rest[0], rest[1])
	dir, remove := harness.Scratch("")
	defer remove()
	if *cut != "" {
		dir = *cut
	}
	for part, docs := range map[string][]harness.Document{"train": learned, "test": asked} {
		for i, d := range docs { // names of different classes may be equal
			harness.Write(filepath.Join(dir, part, d.Class, d.Name()), string(d.Raw))
			docs[i].Path = filepath.Join(dir, part, d.Class, d.Name())
		}
	}
	if *cut != "" {
		return
	}
	program := harness.Build(*polya, dir, "cmd/polya", nil)
	cmd := exec.CommandContext(ctx, program, "eval", "--train", filepath.Join(dir, "train"), "--test", filepath.Join(dir, "test"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	harness.Check(cmd.Run())
	if spam := harness.Of(asked, "spam"); len(spam) > 0 && len(harness.Classes(asked)) == 2 {
		bogofilter(dir, learned, asked)
	}
	for i := range learned {
		learned[i].Raw = nil
	}
	for i := range asked {
		asked[i].Raw = nil
	}
	harness.Head("scikit-learn", "accuracy %", "log loss")
	cmd = exec.CommandContext(ctx, harness.Python, "-W", "ignore", "-c", harness.ScikitLearn, "accuracy")
	cmd.Stdin = bytes.NewReader(harness.Must(json.Marshal(map[string][]harness.Document{"train": learned, "test": asked})))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	harness.Check(cmd.Run())
}

// parts cuts a corpus.
func parts(corpus, protocol string) (learned, asked []harness.Document) {
	switch protocol {
	case "parts":
		return harness.Folders(filepath.Join(corpus, "train")), harness.Folders(filepath.Join(corpus, "test"))
	case "halves":
		return harness.Halves(harness.Folders(filepath.Join(corpus, "all")))
	case "dates":
		docs := harness.Ordered(corpus)
		return docs[:len(docs)/2], docs[len(docs)/2:]
	}
	harness.Failf("no protocol is called %q", protocol)
	return nil, nil
}

// bogofilter prints what it has wrong by its default cut-offs, of which unsure is a miss for
// spam and right for ham, and by one at .5.
func bogofilter(dir string, learned, asked []harness.Document) {
	var messages [][]byte
	for _, d := range asked {
		messages = append(messages, d.Raw)
	}
	var wrong, even int
	verdicts := harness.NewBogofilter(dir, learned, "spam").Ask(messages)
	for i, v := range verdicts {
		spam := asked[i].Class == "spam"
		if v.Spam != spam {
			wrong++
		}
		if v.Score >= .5 != spam {
			even++
		}
	}
	if n := float64(len(verdicts)); n > 0 {
		fmt.Printf("\nbogofilter: error %.2f %%; with one cut-off at .5 %.2f %%\n", 100*float64(wrong)/n, 100*float64(even)/n)
	}
}

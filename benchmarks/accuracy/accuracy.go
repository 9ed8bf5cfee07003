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
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/benchmarks/peers"
)

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("accuracy [flags] CORPUS parts|halves|dates")
	cut := f.String("cut", "", "only write the parts to `DIR`/train and DIR/test, for polya eval and other measures")
	rest := harness.Parse(f, args, 2, 2)
	learned, asked := parts(rest[0], rest[1])
	dir, remove := harness.Scratch("")
	defer remove()
	if *cut != "" {
		dir = *cut
	}
	for part, docs := range map[string][]harness.Document{"train": learned, "test": asked} {
		for i, d := range docs { // names of different classes may be equal
			docs[i].Path = filepath.Join(dir, part, d.Class, d.Name())
			harness.Write(docs[i].Path, string(d.Raw))
		}
	}
	if *cut != "" {
		return
	}
	cmd := exec.CommandContext(ctx, harness.Build(dir, "cmd/polya"), "eval", "--train", filepath.Join(dir, "train"), "--test", filepath.Join(dir, "test"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	harness.Check(cmd.Run())
	if len(harness.Of(asked, "spam")) > 0 && len(harness.Of(asked, "ham")) > 0 {
		bogofilter(ctx, learned, asked)
	}
	harness.Head("scikit-learn", "accuracy %", "log loss")
	harness.AskScikit(ctx, "accuracy", map[string]any{"train": learned, "test": asked}, func(d *json.Decoder) {
		var row []any
		harness.Check(d.Decode(&row))
		harness.Row(row...)
	})
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
func bogofilter(ctx context.Context, learned, asked []harness.Document) {
	var messages [][]byte
	for _, d := range asked {
		messages = append(messages, d.Raw)
	}
	t := peers.Bogofilter(ctx, learned)
	defer t.Close()
	var wrong, even int
	verdicts := t.Ask(messages)
	for i, v := range verdicts {
		spam := asked[i].Class == "spam"
		if v.Spam != spam {
			wrong++
		}
		if v.Score >= .5 != spam {
			even++
		}
	}
	fmt.Printf("\nbogofilter: error %s %%; with one cut-off at .5 %s %%\n", harness.Percent(wrong, len(verdicts), 2), harness.Percent(even, len(verdicts), 2))
}

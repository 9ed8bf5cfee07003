package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// letters makes messages of two kinds, whose words overlap a little.
type letters struct {
	c   *classify.Classifier
	rng *rand.Rand
	n   int
}

func (l *letters) write(kind int, subject string) classify.Document {
	l.n++
	var words []string
	for range 12 {
		words = append(words, fmt.Sprintf("%cword%d", 'a'+kind, l.rng.IntN(60)), fmt.Sprintf("common%d", l.rng.IntN(30)))
	}
	raw := fmt.Appendf(nil, "From: a@b.example\nSubject: %s\nMessage-ID: <%d@b.example>\n\n%s\n", subject, l.n, strings.Join(words, " "))
	doc := classify.Document{ID: mail.ID(raw), Bag: new(tokenize.Bag)}
	mail.Read(l.c.Analyzer(), doc.Bag, raw)
	return doc
}

// One spam that was learned as ham decides the cut-off, is the first that is listed, and
// once it is relabelled spam is caught.
func TestRatesNameTheMislabelled(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c, err := classify.Open(filepath.Join(t.TempDir(), "rates.polya"), classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	l := &letters{c: c, rng: rand.New(rand.NewPCG(1, 2))}
	var ham, spam []classify.Document
	for range 310 {
		ham = append(ham, l.write(0, "minutes"))
		spam = append(spam, l.write(1, "offers"))
	}
	mislaid := l.write(1, "Cheap watches")
	if _, err := c.Train(ctx, "ham", append(ham, mislaid)...); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Train(ctx, "spam", spam...); err != nil {
		t.Fatal(err)
	}
	show := func() (*statistics.Calibration, string) {
		t.Helper()
		if k, err := c.Calibrate(ctx, 0); err != nil || k == nil {
			t.Fatalf("%v, %v", k, err)
		}
		i, err := statistics.Read(c, "spam")
		if err != nil || len(i.Calibration.Filters) != 4 {
			t.Fatalf("%+v, %v", i, err)
		}
		var out bytes.Buffer
		if err := i.Print(&terminal.Streams{Stdout: &out}, "spam"); err != nil {
			t.Fatal(err)
		}
		return i.Calibration, out.String()
	}
	labels, text := show()
	rare, known := labels.Filters[1], labels.Filters[3]
	if rare.Needed == nil || known.Needed != nil || *known.OtherYes != 0 || *known.OwnYes > 200./310 || known.Others != 311 || known.Judged != 310 {
		t.Errorf("mislabelled: %+v", labels.Filters)
	}
	if len(labels.Suspects) != 1 {
		t.Fatalf("suspects %+v", labels.Suspects)
	}
	if first := labels.Suspects[0]; first.ID != mislaid.ID.String() || first.Class != "ham" || first.Likely != "spam" || first.Sender != "a@b.example" || first.Words.String() != "cheap watches" {
		t.Errorf("the suspect is %+v", first)
	}
	for _, want := range []string{
		`(?m)^--fpr 0\.1%( +-){6} +2,995$`,
		`(?m)^--fpr 1% +- +\+\d+\.\d+ +- +\d+\.\d+ +- +0\.00 +-$`,
		`(?m)^ *\d+\.\d\d +ham +spam +` + mislaid.ID.String() + ` +\d{4}-\d\d-\d\d +a@b.example +cheap watches$`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no line %s in\n%s", want, text)
		}
	}
	sure := l.write(1, "offers")
	r, err := c.Classify(ctx, sure)
	if err != nil || r.Class != "spam" || r.LogOdds > float64(*known.Yes) {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := c.Relabel(ctx, "spam", mislaid); err != nil {
		t.Fatal(err)
	}
	if after, _ := show(); *after.Filters[3].OwnYes < 305./311 || len(after.Suspects) > 0 {
		t.Errorf("relabelled: %+v", after)
	}
}

// A sure spam that the rate holds back is unsure, in the words of the command and by its
// exit code, and never ham.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	d := &reading.Document{Document: corpus.Document{Path: "1.eml"}, Answer: classify.Result{Class: "spam", Probability: .9995, Unsure: true, Reason: decision.HeldBack,
		Posterior: []classify.ClassProbability{{Class: "spam", Probability: .9995}, {Class: "ham", Probability: .0005}}}}
	var out bytes.Buffer
	a := answers{Reader: &reading.Reader{Streams: new(terminal.Streams)}, verdict: verdict{is: "spam"}, out: bufio.NewWriter(&out)}
	if err := a.give(d); err != nil {
		t.Fatal(err)
	}
	a.out.Flush()
	if got := out.String(); got != "spam\t0.9995\t1.eml\tunsure\theld back by --fpr\n" {
		t.Errorf("%q", got)
	}
	if err := a.code(); err != command.AnswerCode(command.Unsure) {
		t.Errorf("verdict %v", err)
	}
}

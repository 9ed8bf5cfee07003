package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
)

// spam is the class that the filter looks for.
const spam = "spam"

var filterSpam = decision.Filter{Positive: spam}

// tally counts the answers of a filter for documents of one class.
type tally struct{ yes, unsure, no int }

func (t *tally) add(yes, unsure bool) {
	switch {
	case unsure:
		t.unsure++
	case yes:
		t.yes++
	default:
		t.no++
	}
}

func (t tally) String() string { return fmt.Sprintf("%3d/%3d/%3d", t.yes, t.unsure, t.no) }

// filtered returns the answers of a filter for documents of spam and of all others.
func filtered(c *classify.Classifier, docs []document) (spams, hams tally, err error) {
	for i := range docs {
		r, err := c.Classify(context.Background(), docs[i].doc)
		if err != nil {
			return spams, hams, err
		}
		t := &hams
		if docs[i].true == spam {
			t = &spams
		}
		t.add(r.Class == spam, r.Unsure)
	}
	return spams, hams, nil
}

// bogofiltered is filtered with bogofilter and its default settings, zero if it is not
// installed.
func bogofiltered(learn, asked []document) (spams, hams tally, err error) {
	program, err := exec.LookPath("bogofilter")
	if err != nil {
		return spams, hams, nil
	}
	dir, err := os.MkdirTemp("", "decisions")
	if err != nil {
		return spams, hams, err
	}
	defer os.RemoveAll(dir)
	run := func(docs []document, args ...string) (string, error) {
		var paths strings.Builder
		for _, d := range docs {
			fmt.Fprintln(&paths, d.path)
		}
		cmd := exec.Command(program, append([]string{"-C", "-d", dir, "-b"}, args...)...)
		cmd.Stdin = strings.NewReader(paths.String())
		out, err := cmd.Output()
		return string(out), err
	}
	for class, flag := range map[bool]string{true: "-s", false: "-n"} {
		var docs []document
		for _, d := range learn {
			if (d.class == spam) == class {
				docs = append(docs, d)
			}
		}
		if _, err := run(docs, flag); err != nil {
			return spams, hams, fmt.Errorf("bogofilter %s: %w", flag, err)
		}
	}
	out, err := run(asked, "-T")
	if err != nil && len(out) == 0 {
		return spams, hams, fmt.Errorf("bogofilter: %w", err)
	}
	at := 0
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 3 || at == len(asked) {
			return spams, hams, fmt.Errorf("bogofilter: cannot read %.80q", line)
		}
		t, verdict := &hams, fields[len(fields)-2]
		if asked[at].true == spam {
			t = &spams
		}
		t.add(verdict == "S", verdict == "U")
		at++
	}
	return spams, hams, nil
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

func (k *certainty) String() string {
	n := float64(k.n)
	s := fmt.Sprintf("%.2f %% right, log loss %.4f", 100*float64(k.right)/n, k.loss/n)
	for i, level := range levels {
		s += fmt.Sprintf("; above %v: %d, %d wrong of %.1f", level, k.above[i], k.wrong[i], k.announced[i])
	}
	return s
}

// certain asks about documents.
func certain(c *classify.Classifier, docs []document) (k certainty, err error) {
	for i := range docs {
		r, err := c.Classify(context.Background(), docs[i].doc)
		if err != nil {
			return k, err
		}
		k.add(&r, docs[i].true)
	}
	return k, nil
}

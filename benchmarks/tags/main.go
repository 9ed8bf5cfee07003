//go:build unix

// Tags measures the accuracy of polya's multi-label classification, compared with
// scikit-learn's one-versus-rest.
//
//	go run ./benchmarks/tags [--split time|random…] [--python /usr/bin/python3] CORPUS
//
// CORPUS has an order.txt of lines TAG[,TAG…]<tab>PATH in order of time. Where paths begin
// with train and test, those are the parts; else the first half of the documents in order
// of time, or a random half of them by the MD5 of the path and what
// follows "random", is learned. Rows are F1 over
// all answers (micro) and the mean F1 of the tags that some document asked about has
// (macro), precision and recall over all answers, and CPU seconds.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

//go:embed scikitlearn.py
var scikitLearnProgram string

type document struct {
	Path string   `json:"path"`
	Tags []string `json:"tags"`
}

func main() {
	split := flag.String("split", "time", "what is learned of a corpus without parts: the first half by time, or a random half")
	python := flag.String("python", "/usr/bin/python3", "of scikit-learn; empty leaves it out")
	precision := flag.Float64("precision", 0, "of tags that speak")
	flag.Parse()
	if err := run(flag.Arg(0), *split, *python, *precision); err != nil {
		fmt.Fprintln(os.Stderr, "tags:", err)
		os.Exit(1)
	}
}

func run(corpus, split, python string, precision float64) error {
	train, test, err := read(corpus, split)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d documents learned, %d asked about\n\n", filepath.Base(corpus), len(train), len(test))
	fmt.Printf("%-40s %7s %7s %9s %7s %8s %8s\n", "", "micro", "macro", "precision", "recall", "learn s", "answer s")
	if err := polya(train, test, precision); err != nil {
		return err
	}
	if python == "" {
		return nil
	}
	return scikitLearn(python, train, test)
}

func read(corpus, split string) (train, test []document, err error) {
	data, err := os.ReadFile(filepath.Join(corpus, "order.txt"))
	if err != nil {
		return nil, nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, line := range lines {
		labels, path, found := strings.Cut(line, "\t")
		if !found {
			return nil, nil, errors.New("order.txt: want TAGS, a tab, PATH")
		}
		d := document{filepath.Join(corpus, path), strings.Split(labels, ",")}
		part, _, _ := strings.Cut(path, "/")
		learned := part == "train"
		if part != "train" && part != "test" {
			learned = i < len(lines)/2
			if seed, random := strings.CutPrefix(split, "random"); random {
				learned = md5.Sum([]byte(path + seed))[0]%2 == 0
			}
		}
		if learned {
			train = append(train, d)
		} else {
			test = append(test, d)
		}
	}
	return train, test, nil
}

func polya(train, test []document, precision float64) error {
	dir, err := os.MkdirTemp("", "polya-tags-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	begun := cpu()
	t, err := tags.Open(filepath.Join(dir, "tags.polya"), tags.Options{ByHand: true, Precision: precision, Store: store.Options{Analyzer: tokenize.DefaultSpec}})
	if err != nil {
		return err
	}
	defer t.Close()
	var b classify.Batch
	for _, d := range train {
		doc, err := counted(t, d.Path)
		if err != nil {
			return err
		}
		set, err := count.TagSet(d.Tags...)
		if err != nil {
			return err
		}
		if err := b.Train(set, doc); err != nil {
			return err
		}
	}
	if _, err := t.Apply(context.Background(), &b); err != nil {
		return err
	}
	taught := cpu()
	if err := t.Calibrate(context.Background(), 0); err != nil {
		return err
	}
	calibrated := cpu()
	likely, spoken := make([][]string, len(test)), make([][]string, len(test))
	loss, pairs := 0.0, 0
	for i, d := range test {
		doc, err := counted(t, d.Path)
		if err != nil {
			return err
		}
		r, err := t.Score(context.Background(), doc)
		if err != nil {
			return err
		}
		spoken[i] = r.Tags()
		for _, s := range r.Scores {
			if s.Probability >= .5 {
				likely[i] = append(likely[i], s.Tag)
			}
			p := s.Probability
			if !slices.Contains(d.Tags, s.Tag) {
				p = 1 - p
			}
			loss -= math.Log(max(p, 1e-300))
			pairs++
		}
	}
	answered := cpu()
	row("polya, probability from .5 on", test, likely, calibrated-begun, answered-calibrated)
	row("polya, tags that speak", test, spoken, calibrated-begun, answered-calibrated)
	info, err := t.Info()
	if err != nil {
		return err
	}
	speak := 0
	for _, i := range info.Tags {
		if i.Speaks {
			speak++
		}
	}
	fmt.Printf("  calibrating %.1f s; %d of %d tags speak; log loss %.5f a document and tag, %.4f a document\n\n",
		(calibrated - taught).Seconds(), speak, len(info.Tags), loss/float64(pairs), loss/float64(len(test)))
	return nil
}

// counted returns the document of a file, read as mail.
func counted(t *tags.Tagger, path string) (classify.Document, error) {
	raw, err := os.ReadFile(path)
	bag := new(tokenize.Bag)
	if err == nil {
		_ = mail.Tokenize(t.Classifier().Analyzer(), bag, raw) // broken parts are skipped
	}
	return classify.Document{ID: classify.ContentID([]byte(path)), Bag: bag}, err
}

func scikitLearn(python string, train, test []document) error {
	asked, err := json.Marshal(map[string][]document{"train": train, "test": test})
	if err != nil {
		return err
	}
	cmd := exec.Command(python, "-W", "ignore", "-c", scikitLearnProgram)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	for decoder := json.NewDecoder(lines); decoder.More(); {
		var answer struct {
			Name          string
			Learn, Answer float64
			Tags          [][]string
		}
		if err := decoder.Decode(&answer); err != nil {
			return err
		}
		seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
		row(answer.Name, test, answer.Tags, seconds(answer.Learn), seconds(answer.Answer))
	}
	return cmd.Wait()
}

func row(name string, test []document, answers [][]string, learn, answer time.Duration) {
	m := measure(test, answers)
	fmt.Printf("%-40s %7.4f %7.4f %9.4f %7.4f %8.1f %8.1f\n", name, m.micro, m.macro, m.precision, m.recall, learn.Seconds(), answer.Seconds())
}

// measures are over all answers; macro is the mean F1 of the tags that some document has.
type measures struct{ micro, macro, precision, recall float64 }

// tally counts answers.
type tally struct{ right, wrong, missed int }

func (t tally) f1() float64 {
	return 2 * float64(t.right) / float64(max(2*t.right+t.wrong+t.missed, 1))
}

func measure(test []document, answers [][]string) measures {
	byTag, all := map[string]tally{}, tally{}
	count := func(tag string, one tally) {
		for _, t := range []*tally{&all, new(byTag[tag])} {
			t.right, t.wrong, t.missed = t.right+one.right, t.wrong+one.wrong, t.missed+one.missed
			if t != &all {
				byTag[tag] = *t
			}
		}
	}
	for i, d := range test {
		for _, tag := range answers[i] {
			if slices.Contains(d.Tags, tag) {
				count(tag, tally{right: 1})
			} else {
				count(tag, tally{wrong: 1})
			}
		}
		for _, tag := range d.Tags {
			if !slices.Contains(answers[i], tag) {
				count(tag, tally{missed: 1})
			}
		}
	}
	sum, n := 0.0, 0
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		if t := byTag[tag]; t.right+t.missed > 0 {
			sum, n = sum+t.f1(), n+1
		}
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return measures{all.f1(), sum / float64(max(n, 1)), share(all.right, all.right+all.wrong), share(all.right, all.right+all.missed)}
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

//go:build unix

// Newsgroups measures how long polya takes to answer for a document of a corpus with
// many classes, beside naive Bayes in memory: maps in Go, and scikit-learn.
//
//	go run ./benchmarks/newsgroups [--rounds 3] [--python python3] CORPUS
//
// CORPUS has the folders train and test, each with a folder a class, as 20 Newsgroups by
// date has. All documents are in memory before a clock starts. All contestants learn the
// training part and classify the test part, in turns, on one core; the time is CPU time
// of the answers only, from the bytes of a document to its class.
//
// With --profile FILE only polya learns and answers, and FILE is a CPU profile.
// cmd/polya/default.pgo, which guides the compiler's optimizations, was made in this way,
// by a program built with -trimpath: a profile contains the names of source files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"syscall"
	"time"
)

// document is a text and its true class.
type document struct {
	class, path string
	text        []byte
}

// contestant learns documents and then answers for others.
type contestant interface {
	name() string
	learn(docs []document) error
	// answer returns the classes of docs, and the CPU time taken.
	answer(docs []document) (classes []string, took time.Duration, err error)
	close() error
}

func main() {
	rounds := flag.Int("rounds", 3, "so many `times`; the table has medians")
	python := flag.String("python", "python3", "`interpreter` with scikit-learn; empty leaves it out")
	profile := flag.String("profile", "", "write a CPU profile of polya to `FILE`, and measure nothing")
	flag.Parse()
	if flag.NArg() != 1 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "usage: newsgroups [--rounds N] [--python COMMAND] CORPUS")
		os.Exit(2)
	}
	err := error(nil)
	if *profile != "" {
		err = record(flag.Arg(0), *profile, *rounds)
	} else {
		err = run(flag.Arg(0), *python, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "newsgroups:", err)
		os.Exit(1)
	}
}

func run(dir, python string, rounds int) error {
	train, test, err := readParts(dir)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	all := []contestant{&inPolya{model: ""}, &inPolya{model: "multinomial"}, &inPolya{model: "normalised"}, &inMaps{}}
	if python != "" {
		for _, model := range []string{"MultinomialNB", "ComplementNB"} {
			all = append(all, &inScikitLearn{python: python, model: model, corpus: dir})
		}
	}
	results := make([]result, len(all))
	for i, c := range all {
		defer c.close()
		if err := c.learn(train); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
		results[i].name = c.name()
	}
	for range rounds {
		for i, c := range all {
			debug.FreeOSMemory()
			classes, took, err := c.answer(test)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name(), err)
			}
			results[i].add(test, classes, took)
		}
	}
	print(results, test)
	return nil
}

// record writes a profile of polya's learning and answering to file.
func record(dir, file string, rounds int) error {
	train, test, err := readParts(dir)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	for range rounds {
		p := &inPolya{}
		err := p.learn(train)
		if err == nil {
			_, _, err = p.answer(test)
		}
		if err := errors.Join(err, p.close()); err != nil {
			return err
		}
	}
	pprof.StopCPUProfile()
	return f.Close()
}

func readParts(dir string) (train, test []document, err error) {
	if train, err = read(filepath.Join(dir, "train")); err != nil {
		return nil, nil, err
	}
	test, err = read(filepath.Join(dir, "test"))
	return train, test, err
}

// read returns the documents of dir/CLASS/FILE, in order of path.
func read(dir string) ([]document, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s: no documents: want a folder for each class: %v", dir, err)
	}
	slices.Sort(paths)
	docs := make([]document, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		docs[i] = document{filepath.Base(filepath.Dir(path)), path, text}
	}
	return docs, nil
}

// result is the result of one contestant in all rounds.
type result struct {
	name  string
	right float64
	took  []time.Duration
}

func (r *result) add(docs []document, classes []string, took time.Duration) {
	right := 0
	for i := range docs {
		if classes[i] == docs[i].class {
			right++
		}
	}
	r.right = float64(right) / float64(len(docs))
	r.took = append(r.took, took)
}

func (r *result) median() time.Duration {
	slices.Sort(r.took)
	return r.took[len(r.took)/2]
}

// print writes the table; the last column is the time in multiples of the first's.
func print(results []result, docs []document) {
	size := 0
	for i := range docs {
		size += len(docs[i].text)
	}
	fmt.Printf("%d documents asked about, %.1f MB\n\n", len(docs), float64(size)/1e6)
	fmt.Println("| | CPU µs a document | MB a CPU s | correct % | times polya |\n| --- | --- | --- | --- | --- |")
	first := results[0].median().Seconds()
	for i := range results {
		r := &results[i]
		t := r.median().Seconds()
		fmt.Printf("| %s | %.1f | %.1f | %.2f | %.2f |\n", r.name, t/float64(len(docs))*1e6, float64(size)/t/1e6, 100*r.right, t/first)
	}
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

//go:build linux

// Trainings measures how long single trainings take, each on disk before it returns, while
// the database grows from empty:
//
//	trainings [-n N] [-callers N] [-dir DIR] [-plot FILE] [CORPUS]
//
// CORPUS is a folder of folders of messages, a class each; without it they are the sample
// mail of the repository. After the last message it begins again, with other IDs. In one
// run models are fitted in the background, which is the default of the library, and in one
// not at all. The third row is the disk alone: 1 KB and fdatasync.
//
// The wall time of a training includes the effect of other programs on the machine; the
// CPU time of the training thread, measured with one caller, does not. The plot shows
// both, of each hundredth of the trainings the median and the longest.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/testdata"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 20_000, "trainings")
	callers := flag.Int("callers", 1, "goroutines that train")
	dir := flag.String("dir", "", "where the databases are, on the disk that is to be measured; $TMPDIR by default")
	plot := flag.String("plot", "", "file for the plot, .svg or .png")
	flag.Parse()
	var corpus fs.FS
	if flag.NArg() > 0 {
		corpus = os.DirFS(flag.Arg(0))
	} else {
		corpus, _ = fs.Sub(testdata.Mail, "mail/train")
	}
	if err := run(corpus, *n, *callers, *dir, *plot); err != nil {
		log.Fatal(err)
	}
}

// example is a document and its class.
type example struct {
	class string
	doc   classify.Document
}

func run(corpus fs.FS, n, callers int, dir, plot string) error {
	dir, err := os.MkdirTemp(dir, "trainings")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	examples, err := read(corpus)
	if err != nil {
		return err
	}
	if len(examples) == 0 || n < 100 || callers < 1 || callers > 1 && plot != "" {
		return fmt.Errorf("%d messages, %d trainings, %d callers: nothing to measure, or to plot", len(examples), n, callers)
	}
	fmt.Printf("%d messages, %d callers\n\n%s", len(examples), callers, head)
	var all []series
	for _, m := range []struct {
		name    string
		fitting classify.Fitting
	}{{"fitted behind", classify.FitBehind}, {"not fitted", classify.FitByHand}} {
		c, err := classify.Open(filepath.Join(dir, m.name), classify.Options{Fitting: m.fitting})
		if err != nil {
			return err
		}
		s, err := measure(m.name, n, callers, func(i int) error {
			e := examples[i%len(examples)]
			e.doc.ID[0] ^= byte(i / len(examples))
			e.doc.ID[1] ^= byte(i / len(examples) >> 8)
			_, err := c.Train(context.Background(), e.class, e.doc)
			return err
		})
		if err := c.Close(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	f, err := os.Create(filepath.Join(dir, "disk"))
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := measure("1 KB and fdatasync", n, callers, func(i int) error { return write(f, int64(i)) })
	if err != nil || plot == "" {
		return err
	}
	return draw(plot, append(all, s))
}

// read returns the messages of a corpus in an order drawn once for all.
func read(corpus fs.FS) (list []example, err error) {
	analyzer, err := tokenize.New("")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(corpus, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "/") {
			return err
		}
		raw, err := fs.ReadFile(corpus, name)
		if err != nil {
			return err
		}
		bag := new(tokenize.Bag)
		if err := mail.Tokenize(analyzer, bag, raw); err != nil && bag.Len() == 0 {
			return nil
		}
		list = append(list, example{path.Base(path.Dir(name)), classify.Document{ID: mail.ID(raw), Bag: bag}})
		return nil
	})
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list, err
}

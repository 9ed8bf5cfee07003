//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"

	"github.com/polya-classifier/polya/tokenize/mail"
)

// message is one of the corpus.
type message struct {
	class string
	raw   []byte
}

// readCorpus reads CLASS/NAME, in an order drawn once for all.
func readCorpus(corpus fs.FS) (list []message, classes []string, err error) {
	err = fs.WalkDir(corpus, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(corpus, name)
		class := path.Dir(name)
		if len(classes) == 0 || classes[len(classes)-1] != class {
			classes = append(classes, class)
		}
		list = append(list, message{class, raw})
		return err
	})
	if err == nil && len(classes) < 2 {
		err = fmt.Errorf("a corpus is a folder of folders of messages, a class each, and not of %d", len(classes))
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list, classes, err
}

// lesson is the sequence of steps for one message, each at another node than the last:
// classes, or "" to forget it.
type lesson struct {
	raw   []byte
	steps []string
}

// lesson returns the lesson with this number: one of the messages, with the number
// appended, so that it is a new document. Of 100 three are corrected, three are
// forgotten, and two are taught twice.
func (f *fleet) lesson(number int) lesson {
	m := f.messages[number%len(f.messages)]
	l := lesson{fmt.Appendf(m.raw[:len(m.raw):len(m.raw)], "\n%d\n", number), []string{m.class}}
	switch number % 100 {
	case 10, 40, 70:
		for _, class := range f.classes {
			if class != m.class {
				l.steps = append(l.steps, class)
				break
			}
		}
	case 20, 50, 80:
		l.steps = append(l.steps, "")
	case 30, 60:
		l.steps = append(l.steps, m.class)
	}
	return l
}

// id returns the document's id in the ledger, and class its final class, "" for none.
func (l lesson) id() [16]byte  { return mail.ID(l.raw) }
func (l lesson) class() string { return l.steps[len(l.steps)-1] }

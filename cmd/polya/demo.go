package main

import (
	"context"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/explanation"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/testdata"
	messages "github.com/polya-classifier/polya/tokenize/mail"
)

func demoCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "show how it works on sample mail",
		Example: "    polya demo",
		Args:    needs(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.demo(cmd.Context()) },
	}
}

func (p *program) demo(ctx context.Context) (err error) {
	dir, err := outfile.TempFolder("polya-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := classify.Open(filepath.Join(dir, "demo.polya"), classify.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	d := demonstration{program: p, ctx: ctx, classifier: c}
	if err := d.train(); err != nil {
		return err
	}
	if err := d.classify(); err != nil {
		return err
	}
	if err := d.explain(); err != nil {
		return err
	}
	p.Printf("%s", whatNext)
	return nil
}

const whatNext = `
What to do next, with mail of your own:

    polya train spam ~/Maildir/.Junk       learn a folder, an mbox or a file
    polya train ham ~/Maildir/cur
    polya classify message.eml             ask about a message
    polya explain message.eml              ask why
    polya help                             all commands
`

type demonstration struct {
	*program
	ctx        context.Context
	classifier *classify.Classifier
	example    *reading.Document // the answer to explain
}

// each calls fn for each sample in mail/kind/CLASS.
func (d *demonstration) each(kind string, fn func(class string, doc *reading.Document) error) error {
	samples, err := fs.Glob(testdata.Mail, path.Join("mail", kind, "*", "*.eml"))
	if err != nil {
		return err
	}
	for _, name := range samples {
		doc := &reading.Document{Path: path.Base(name), Format: corpus.Mail}
		if doc.Content, err = fs.ReadFile(testdata.Mail, name); err != nil {
			return err
		}
		doc.IdentifyAndCount(d.classifier.Analyzer())
		if err := fn(path.Base(path.Dir(name)), doc); err != nil {
			return err
		}
	}
	return d.ctx.Err()
}

func (d *demonstration) train() error {
	var batch classify.Batch
	err := d.each("train", func(class string, doc *reading.Document) error {
		return batch.Train(class, doc.Learnable("demo"))
	})
	if err != nil {
		return err
	}
	applied, err := d.classifier.Apply(d.ctx, &batch)
	if err != nil {
		return err
	}
	d.Printf("Learned %d messages into a temporary database; %s\n\n", applied.Learned, statistics.Now(d.classifier.Store(), nil))
	return nil
}

func (d *demonstration) classify() error {
	t := terminal.Table{Numeric: []bool{false, false, true}}
	t.Add("", "answer", "probability", "truth", "message")
	right, all := 0, 0
	err := d.each("held", func(class string, doc *reading.Document) error {
		r, err := d.classifier.Classify(d.ctx, doc.Learnable(""))
		if err != nil {
			return err
		}
		mark := "ok"
		if r.Class != class {
			mark = "WRONG"
		} else {
			right++
		}
		all++
		if d.example == nil || class == "spam" && d.example.Class != "spam" {
			d.example = doc
			doc.Class = class
		}
		t.Add(mark, r.Class, fmt.Sprintf("%.4f", r.Probability), class, terminal.Printable(subject(doc.Content)))
		return nil
	})
	if err != nil || d.Quiet {
		return err
	}
	d.Printf("Answers for messages that it has not seen before:\n\n")
	if err := t.Write(d.Stdout); err != nil {
		return err
	}
	d.Printf("\n%d of %d are right, %.1f %%.\n\n", right, all, 100*float64(right)/float64(all))
	return nil
}

func (d *demonstration) explain() error {
	if d.Quiet {
		return nil
	}
	e, err := d.classifier.Explain(d.ctx, d.example.Learnable(""))
	if err != nil {
		return err
	}
	d.Printf("Why the message %q got its answer:\n\n", subject(d.example.Content))
	x := explanation.Explained{Explanation: e, Path: d.example.Path, ID: d.example.ID}
	x.Cut(5)
	return x.Print(d.Streams)
}

// subject returns the Subject of a message, or "(no subject)".
func subject(raw []byte) string {
	text := ""
	decoder := mime.WordDecoder{CharsetReader: messages.CharsetReader}
	header.Each(raw, func(name string, value []byte) bool {
		if name == "subject" {
			text, _ = decoder.DecodeHeader(strings.Join(strings.Fields(string(value)), " "))
		}
		return name != "subject"
	})
	if text == "" {
		return "(no subject)"
	}
	s := []rune(text)
	if len(s) > subjectWidth {
		s = append(s[:subjectWidth-1], '…')
	}
	return string(s)
}

const subjectWidth = 48

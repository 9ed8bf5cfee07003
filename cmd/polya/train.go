package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store"
)

const trainHelp = `Learn the documents at PATH as CLASS. A class that is new is made, and so is the
database. A document that was learned before as the same class changes nothing,
which is success; one that was learned as another class is moved.

With --folders each folder in DIR is a class and has its name; if DIR is a
Maildir, its folders are the classes. With --labelled each document says its
class itself, as JSON lines do: {"class":"spam","text":"…"}.

Many documents are learned in transactions of 16,384. Ctrl-C stops between them:
what was learned is kept, and the same command goes on where it stopped.`

// A batch is applied when it has so many documents or bytes.
const (
	batchDocuments = 16384
	batchBytes     = 32 << 20
)

type trainFlags struct {
	creating
	folders, labelled bool
	source, format    string
	jobs              int
	json              bool
}

func trainCommand(p *program) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train CLASS PATH… | train --folders DIR… | train --labelled PATH…",
		Short: "learn documents as a class",
		Long:  trainHelp,
		Example: `    polya train spam ~/Maildir/.Junk
    polya train ham letter.eml archive.mbox
    polya train --folders corpus/`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.train(cmd, &f, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if f.folders || f.labelled {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return p.completeClassThenPath(args)
		},
	}
	cmd.Flags().BoolVar(&f.folders, "folders", false, "each folder in DIR is a class")
	cmd.Flags().BoolVar(&f.labelled, "labelled", false, "each document says its class itself")
	cmd.Flags().StringVar(&f.source, "source", "", "`NAME` of who teaches, for 'polya forget --source'")
	formatFlag(cmd, &f.format)
	f.creating.flags(cmd)
	jobsFlag(cmd, &f.jobs)
	jsonFlag(cmd, &f.json)
	return cmd
}

func (p *program) train(cmd *cobra.Command, f *trainFlags, args []string) error {
	class, paths, err := f.arguments(cmd, args)
	if err != nil {
		return err
	}
	format, err := parseFormat(cmd, f.format)
	if err != nil {
		return err
	}
	options, err := f.creating.options(cmd)
	if err != nil {
		return err
	}
	if err := somePathExists(paths); err != nil {
		return err
	}
	db, err := p.openCreate(options)
	if err != nil {
		return err
	}
	defer db.Close()
	t := &training{
		ctx: cmd.Context(), classifier: db.Classifier, class: class, source: f.source,
		paths: map[store.DocID]string{}, given: map[string]uint64{},
	}
	t.batch.Keep(options.Store.Ledger)
	t.reader = reader{
		program: p,
		options: corpus.Options{Format: format, Stdin: p.stdin},
		folders: f.folders,
		jobs:    f.jobs,
		bar:     p.newBar(paths),
		work:    t.prepare,
		deliver: t.learn,
	}
	err = t.run(paths)
	if err == nil || t.done() > 0 {
		p.reportTraining(t, f.json)
	}
	return err
}

// arguments takes CLASS and the paths apart.
func (f *trainFlags) arguments(cmd *cobra.Command, args []string) (class string, paths []string, err error) {
	switch {
	case f.folders && f.labelled:
		return "", nil, misuse(cmd, "train takes --folders or --labelled, not both")
	case f.folders && len(args) == 0:
		return "", nil, misuse(cmd, "train --folders needs a folder of folders")
	case f.labelled && len(args) == 0:
		return "", nil, misuse(cmd, "train --labelled needs a path")
	case f.folders || f.labelled:
		return "", args, nil
	case len(args) < 2:
		return "", nil, misuse(cmd, "train needs a class and a path")
	case args[0] == "":
		return "", nil, misuse(cmd, "train needs a class name that is not empty")
	case looksLikeDocument(args[0]):
		return "", nil, misuse(cmd, "%s is a file, and train wants a class before the paths", args[0])
	}
	return args[0], args[1:], nil
}

// looksLikeDocument catches a forgotten class, which would learn the first
// document as the name of one.
func looksLikeDocument(class string) bool {
	info, err := os.Stat(class)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	switch strings.ToLower(filepath.Ext(class)) {
	case ".eml", ".mbox", ".jsonl", ".txt", ".html", ".htm":
		return true
	}
	return strings.ContainsRune(class, filepath.Separator)
}

// somePathExists keeps a mistyped path from making a database.
func somePathExists(paths []string) error {
	var failed troubles
	for _, path := range paths {
		if path == "-" {
			return nil
		}
		_, err := os.Stat(path)
		if err == nil {
			return nil
		}
		var r reader
		r.fail(corpus.Walk(context.Background(), path, corpus.Options{}, nil))
		failed = append(failed, r.failed...)
	}
	return failed.orNil()
}

// training is one run of train.
type training struct {
	ctx        context.Context
	classifier *classify.Classifier
	class      string // "" takes that of the document
	source     string
	reader     reader
	batch      classify.Batch
	read       int                    // documents
	paths      map[store.DocID]string // of the batch
	given      map[string]uint64      // documents by class
	applied    store.Applied
	failed     troubles
}

func (t *training) prepare(d *document) {
	d.identify()
	d.count(t.classifier.Analyzer())
	d.bag.Sort() // the store wants them in order, and this goroutine has company
}

func (t *training) learn(d *document) error {
	t.read++
	class := t.class
	if class == "" {
		class = d.class
	}
	if class == "" {
		t.failed = append(t.failed, fmt.Errorf("%s: says no class; name one, as in 'polya train CLASS PATH'", d.path))
		return nil
	}
	if err := t.batch.Train(class, d.learnable(t.source)); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	t.paths[d.id] = d.path
	t.given[class]++
	if t.batch.Len() >= batchDocuments || t.batch.Size() >= batchBytes {
		return t.apply()
	}
	return nil
}

// apply learns what has been gathered, in one transaction.
func (t *training) apply() error {
	a, err := t.classifier.Apply(t.ctx, &t.batch)
	t.applied.Learned += a.Learned
	t.applied.Moved += a.Moved
	t.applied.Already += a.Already
	for _, id := range a.Conflicts {
		t.failed = append(t.failed, fmt.Errorf("%s: stays in the class that another copy of it was learned as, "+
			"of which the ledger keeps only a digest; forget that copy first", t.paths[id]))
	}
	t.batch.Reset()
	clear(t.paths)
	return err
}

// isNew says whether the class was made by this training: whether all that it
// holds is from it.
func (t *training) isNew(c *store.Class) bool {
	return t.applied.Already == 0 && c.Docs == t.given[c.Name]
}

// done is the number of documents that are as they were wanted.
func (t *training) done() int { return t.applied.Learned + t.applied.Moved + t.applied.Already }

func (t *training) run(paths []string) error {
	err := t.reader.read(t.ctx, paths)
	if err == nil && t.batch.Len() > 0 {
		err = t.apply()
	}
	t.reader.bar.done()
	if errors.Is(err, context.Canceled) {
		return t.interrupted(paths)
	}
	if err != nil {
		return err
	}
	return append(t.reader.failed, t.failed...).orNil()
}

// interrupted says what was kept.
func (t *training) interrupted(paths []string) error {
	if t.done() == 0 {
		return errors.New("interrupted: nothing was learned; run the same command again")
	}
	of := ""
	files := 0
	for _, path := range paths {
		n, _, _ := corpus.Size(path)
		files += n
	}
	if files >= t.read { // an mbox counts as one
		of = " of " + grouped(files)
	}
	return fmt.Errorf("interrupted: %s%s documents are learned and kept; run the same command again to go on", grouped(t.done()), of)
}

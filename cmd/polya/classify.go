package main

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

type classifyFlags struct {
	asking
	command.Documents
	top int
}

func classifyCommand(p *program) *cobra.Command {
	var f classifyFlags
	cmd := &cobra.Command{
		Use:   "classify [--is CLASS] PATH…",
		Short: "say which class documents belong to",
		Example: `    polya classify inbox/
    polya classify --top 3 inbox/
    polya classify --quiet --is spam - < message.eml
    polya classify --quiet --is spam --threshold 0.9 - < message.eml
    polya classify --is spam --fpr 1% message.eml`,
		Args: needsDocument,
		RunE: func(cmd *cobra.Command, args []string) error { return p.classify(cmd, &f, args) },
	}
	f.asking.flags(p, cmd, "answer by exit code whether it is `CLASS`")
	f.Documents.Flags(p.Program, cmd)
	f.ColumnFlags(cmd)
	cmd.Flags().String(setting.Precision, "", "answer only where at least this `SHARE` of answers as sure was right before, 0 to 1;\nthe others are suggestions. Of tags without the flag too (default 0.95)")
	f.top = 1
	command.NumberFlag(cmd, &f.top, "top", "", 1, "print the answer and the most probable other classes, `K` lines in all")
	return cmd
}

func (p *program) classify(cmd *cobra.Command, f *classifyFlags, paths []string) error {
	return p.over(cmd, opening{
		paths: paths, flags: &f.Documents,
		open: func() (*classify.Classifier, error) { return f.open(p, cmd) },
	}, func(db *classify.Classifier, r *reading.Reader) error {
		a := answers{
			db: db, attributes: r.Attributes, verdict: verdict{is: f.is}, asked: cmd.Flags().Changed("is"),
			costs: len(f.costs) > 0, top: f.top, Streams: p.Streams, flushEach: p.isAwaited(paths), out: bufio.NewWriterSize(p.Stdout, 1<<16),
		}
		if p.JSON && !cmd.Flags().Changed("top") {
			a.top = 0 // all
		}
		if db.Store().Tags() {
			if err := a.ofTags(cmd); err != nil {
				return err
			}
		}
		r.Work = func(d *reading.Document) { a.work(cmd.Context(), d) }
		r.Deliver = a.give
		if p.Verbose {
			r.Deliver = func(d *reading.Document) error {
				p.Note(fmt.Errorf("%s: read as %v, by %s", d.Path, d.Format, d.FormatFrom()))
				return a.give(d)
			}
		}
		if err := p.readAnswered(cmd, r, paths, a.out); err != nil {
			return err
		}
		a.noteUnknown(p)
		if !a.asked {
			return nil
		}
		return a.code()
	})
}

// isAwaited reports whether somebody may wait for each answer.
func (p *program) isAwaited(paths []string) bool {
	return terminal.IsTerminal(p.Stdout) || slices.Contains(paths, "-")
}

// readAnswered reads documents whose answers go to out.
func (p *program) readAnswered(cmd *cobra.Command, r *reading.Reader, paths []string, out *bufio.Writer) error {
	if !terminal.IsTerminal(p.Stdout) { // where the lines are the progress
		r.Bar = reading.NewBar(p.Streams, paths, r.Options)
	}
	err := r.Read(cmd.Context(), paths)
	r.Bar.Done()
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err == nil {
		err = r.Finish()
	}
	return err
}

func needsDocument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flags().Changed("attr") {
		return command.Misuse(cmd, "classify needs a path; of a document without a text, /dev/null, or - with nothing on standard input")
	}
	return command.Needs(1, -1, "a path")(cmd, args)
}

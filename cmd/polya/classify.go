package main

import (
	"bufio"
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
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
		Args: command.Needs(1, -1, "a path, - for standard input; of a document without a text, /dev/null"),
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
	open := func() (*classify.Classifier, error) { return f.open(p, cmd) }
	return p.over(cmd, paths, &f.Documents, open, func(db *classify.Classifier, r *reading.Reader) error {
		if f.is == "" && cmd.Flags().Changed(setting.Is) { // of a variable that is not set
			return statistics.NoSuch(db.Store(), f.is)
		}
		awaited := terminal.IsTerminal(p.Stdout) // where the lines are the progress
		if !awaited {
			r.Bar = reading.NewBar(p.Streams, paths, r.Options)
		}
		a := answers{
			asking: f.asking, Reader: r, db: db, verdict: verdict{is: f.is}, top: f.top,
			flushEach: awaited || slices.Contains(paths, "-"), out: bufio.NewWriterSize(p.Stdout, 1<<16),
		}
		if p.JSON && !cmd.Flags().Changed("top") {
			a.top = 0 // all
		}
		r.Work = func(d *reading.Document) { a.work(cmd.Context(), d) }
		r.Deliver = a.give
		err := cmp.Or(r.Read(cmd.Context(), paths), a.out.Flush())
		r.Bar.Done()
		if err == nil {
			err = r.Finish()
		}
		if err != nil {
			return err
		}
		a.noteUnknown(p)
		if f.is == "" {
			return nil
		}
		return a.code()
	})
}

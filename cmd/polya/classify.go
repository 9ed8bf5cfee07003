package main

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/tagging"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

type classifyFlags struct {
	asking
	pathFlags
	attributeFlags
	jobs int
	top  int
	json bool
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
	f.pathFlags.flags(cmd)
	f.columnFlags(cmd)
	f.attributeFlags.flags(cmd)
	cmd.Flags().String(setting.Precision, "", "answer only where at least this `SHARE` of answers as sure was right before, 0 to 1;\nthe others are suggestions. Of tags without the flag too (default 0.95)")
	f.top = 1
	numberFlag(cmd, &f.top, "top", "", 1, "print the answer and the most probable other classes, `K` lines in all")
	jsonFlag(cmd, &f.json)
	jobsFlag(cmd, &f.jobs)
	return cmd
}

func (p *program) classify(cmd *cobra.Command, f *classifyFlags, paths []string) error {
	return p.over(cmd, opening{
		paths: paths, flags: &f.pathFlags, attributes: &f.attributeFlags, jobs: f.jobs,
		open:  func() (*classify.Classifier, error) { return f.open(p, cmd) },
		close: leaveOpen,
	}, func(db *classify.Classifier, r *reading.Reader) error {
		if db.Store().Tags() {
			return p.classifyTags(cmd, f, db, r, paths)
		}
		a := answers{
			db: db.Store(), verdict: verdict{is: f.is}, asked: cmd.Flags().Changed("is"),
			costs: len(f.costs) > 0, top: f.top, json: f.json, quiet: p.Quiet, out: bufio.NewWriterSize(p.Stdout, 1<<16),
		}
		if f.json && !cmd.Flags().Changed("top") {
			a.top = 0 // all
		}
		r.Work = func(d *reading.Document) {
			if f.json {
				d.IdentifyAndCount(r.Analyzer)
			} else {
				d.Count(r.Analyzer)
			}
			if r.Attributes.Resolve(d) == nil { // or it is not delivered
				d.Answer, d.Err = db.Classify(cmd.Context(), d.Learnable(""))
				d.Doubt(&d.Answer)
			}
		}
		r.Deliver, a.flushEach = a.give, p.isAwaited(paths)
		if err := p.readAnswered(cmd, r, paths, a.out); err != nil {
			return err
		}
		p.noteGuesses(a.db, a.given, a.unknown, a.rows)
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

// notOfTags are the flags of classify that have no meaning for a database of tags.
var notOfTags = []string{"fpr", "threshold", "cost", "model", "attr", "kind"}

// classifyTags says which tags documents have.
func (p *program) classifyTags(cmd *cobra.Command, f *classifyFlags, db *classify.Classifier, r *reading.Reader, paths []string) error {
	t, err := taggerOf(cmd, db)
	if err != nil {
		return err
	}
	a := tagging.New(t)
	a.Top, a.Is, a.Unknown, a.JSON, a.Quiet, a.Flush = f.top, f.is, holdings.NoSuch(db.Store(), f.is), f.json, p.Quiet, p.isAwaited(paths)
	a.Out = bufio.NewWriterSize(p.Stdout, 1<<16)
	r.Work = func(d *reading.Document) {
		if f.json {
			d.IdentifyAndCount(r.Analyzer)
		} else {
			d.Count(r.Analyzer)
		}
		a.Work(cmd.Context(), d)
	}
	r.Deliver = a.Give
	err = p.readAnswered(cmd, r, paths, a.Out)
	if err == nil {
		p.noteGuesses(db.Store(), a.Given, a.Unread, a.Rows)
	}
	if err != nil || !a.No() {
		return err
	}
	return answerCode(exitNo)
}

func needsDocument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flags().Changed("attr") {
		return misuse(cmd, "classify needs a path; of a document without a text, /dev/null, or - with nothing on standard input")
	}
	return needs(1, -1, "a path")(cmd, args)
}

// answers prints the answers and sums them up as an exit code.
type answers struct {
	db *store.DB
	verdict
	asked       bool // --is was given
	costs       bool // --cost was given
	top         int  // classes printed of each document; 0 for all, with json
	json, quiet bool
	flushEach   bool
	out         *bufio.Writer
	line        []byte

	given, unknown int  // answers, and those of them without a known term
	rows           bool // of a table
}

// noteGuesses says that most of the answers given know nothing of their documents, some of
// them rows of a table.
func (p *program) noteGuesses(db *store.DB, given, unknown int, rows bool) {
	if given < 2 || 2*unknown <= given {
		return
	}
	advice := "is this the database that learned such documents?"
	if kept, err := setting.Of(db); err == nil && rows {
		advice = fmt.Sprintf("the text of a row is read from the column %q: --text-column names another", cmp.Or(kept[setting.TextColumn], "text"))
	}
	p.Complain(fmt.Errorf("%s of %s answers know no term of their documents, and are guesses: %s", terminal.Grouped(unknown), terminal.Grouped(given), advice))
}

func (a *answers) give(d *reading.Document) error {
	if d.Err != nil {
		return d.Err
	}
	if a.asked && !hasClass(&d.Answer, a.is) {
		return holdings.NoSuch(a.db, a.is)
	}
	a.add(d.Answer.Class, d.Answer.Unsure)
	a.given, a.rows = a.given+1, a.rows || d.Row
	if d.Answer.Reason == decision.NoKnownTerm {
		a.unknown++
	}
	if a.quiet {
		return nil
	}
	if a.json {
		a.line = appendAnswerJSON(a.line[:0], d, a.costs, a.top)
	} else {
		a.line = appendAnswer(a.line[:0], d.Path, &d.Answer, a.top)
	}
	_, err := a.out.Write(a.line)
	if a.flushEach && err == nil {
		err = a.out.Flush()
	}
	return err
}

// hasClass reports whether the posterior has a class.
func hasClass(r *classify.Result, class string) bool {
	return slices.ContainsFunc(r.Posterior, func(p classify.ClassProbability) bool { return p.Class == class })
}

// appendAnswer appends the lines of 'polya classify' for one document: its answer and
// then the most probable other classes, top lines in all.
func appendAnswer(b []byte, path string, r *classify.Result, top int) []byte {
	b = terminal.AppendAnswer(b, r.Class, r.Probability, path)
	if r.Unsure {
		b = append(b, "\tunsure\t"...)
		b = append(b, reading.Reason(r.Reason)...)
	}
	b = append(b, '\n')
	for _, p := range r.Posterior {
		if top <= 1 {
			break
		}
		if p.Class != r.Class {
			b = append(terminal.AppendAnswer(b, p.Class, p.Probability, path), '\n')
			top--
		}
	}
	return b
}

// appendAnswerJSON appends the line of 'polya classify --json', with the top most
// probable classes, or all if top is 0. It is written by hand because the posterior is
// an object whose keys are in order of probability.
func appendAnswerJSON(b []byte, d *reading.Document, costs bool, top int) []byte {
	r := &d.Answer
	b = terminal.AppendPath(append(b, '{'), d.Path)
	b = append(b, `,"id":"`...)
	b = append(b, d.ID.String()...)
	b = append(b, '"')
	if id := d.MessageID; id != "" {
		b = append(b, `,"message_id":`...)
		b = terminal.AppendString(b, id)
	}
	b = append(b, `,"class":`...)
	b = terminal.AppendString(b, r.Class)
	b = append(b, `,"probability":`...)
	b = terminal.AppendNumber(b, r.Probability)
	b = append(b, `,"log_odds":`...)
	b = terminal.AppendNumber(b, r.LogOdds)
	b = append(b, `,"terms":`...)
	b = strconv.AppendInt(b, int64(r.Terms), 10)
	b = append(b, `,"unsure":`...)
	b = strconv.AppendBool(b, r.Unsure)
	if r.Unsure {
		b = append(b, `,"reason":`...)
		b = terminal.AppendString(b, reading.Reason(r.Reason))
	}
	if costs {
		b = append(b, `,"cost":`...)
		b = terminal.AppendNumber(b, r.Cost)
	}
	if r.Precision > 0 {
		b = append(b, `,"precision":`...)
		b = terminal.AppendNumber(b, r.Precision)
	}
	b = append(b, `,"posterior":{`...)
	for i, p := range r.Posterior {
		if top > 0 && i == top {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = terminal.AppendString(b, p.Class)
		b = append(b, ':')
		b = terminal.AppendNumber(b, p.Probability)
	}
	return append(b, "}}\n"...)
}

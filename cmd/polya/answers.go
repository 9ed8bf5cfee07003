package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// answers prints the answers and sums them up as an exit code.
type answers struct {
	asking
	*reading.Reader
	verdict
	db        *classify.Classifier
	top       int // classes printed of each document; 0 for all, with JSON
	flushEach bool
	out       *bufio.Writer

	given, unknown int  // answers, and those of them without a known term
	rows           bool // of a table
}

// noteUnknown says that most answers know nothing of their documents.
func (a *answers) noteUnknown(p *program) {
	if a.given < 2 || 2*a.unknown <= a.given {
		return
	}
	advice := "is this the database that learned such documents?"
	if a.rows {
		advice = fmt.Sprintf("the text of a row is read from the column %s: --text-column names another", cmp.Or(strings.Join(a.db.Settings().List(setting.TextColumn), " or "), "text"))
	}
	p.Complain(fmt.Errorf("%s of %s answers know no term of their documents, and are guesses: %s", terminal.Grouped(a.unknown), terminal.Grouped(a.given), advice))
}

// work answers about a document that was read. Several goroutines call it.
func (a *answers) work(ctx context.Context, d *reading.Document) {
	d.Count(a.Analyzer, a.JSON)
	if a.tagger != nil {
		d.Tags, d.Err = a.tagger.Score(ctx, d.Learnable(""))
	} else if a.Attributes.Resolve(d) == nil { // or it is not delivered
		d.Answer, d.Err = a.db.Classify(ctx, d.Learnable(""))
		d.Doubt(&d.Answer)
	}
}

func (a *answers) give(d *reading.Document) error {
	if a.Verbose {
		a.Note(fmt.Errorf("%s: read as %v, by %s", d.Path, d.Format, d.FormatFrom()))
	}
	if d.Err != nil {
		return d.Err
	}
	if a.tagger != nil {
		a.no = a.no || !slices.Contains(d.Tags.Tags(), a.verdict.is)
	} else {
		a.add(d.Answer.Class, d.Answer.Unsure)
	}
	a.given, a.rows = a.given+1, a.rows || d.Row
	if d.Answer.Reason == decision.NoKnownTerm || a.tagger != nil && d.Tags.Terms == 0 {
		a.unknown++
	}
	if a.Quiet {
		return nil
	}
	var err error
	if a.JSON {
		var line []byte
		if line, err = terminal.JSONLine(a.object(d)); err == nil {
			_, err = a.out.Write(line)
		}
	} else {
		_, err = a.out.WriteString(a.lines(d))
	}
	if a.flushEach && err == nil {
		err = a.out.Flush()
	}
	return err
}

// lines returns the lines about a document: its answer, or the tags given or suggestions; and then
// the most probable others, a.top lines in all.
func (a *answers) lines(d *reading.Document) string {
	var b strings.Builder
	left := a.top
	line := func(label string, probability float64, note string) {
		fmt.Fprintf(&b, "%s\t%.4f\t%s%s\n", terminal.Printable(label), probability, terminal.Printable(d.Path), note)
		left--
	}
	if a.tagger == nil {
		r, note := &d.Answer, ""
		if r.Unsure {
			note = "\tunsure\t" + reading.Reason(r.Reason)
		}
		line(r.Class, r.Probability, note)
		for _, p := range r.Posterior {
			if left > 0 && p.Class != r.Class {
				line(p.Class, p.Probability, "")
			}
		}
		return b.String()
	}
	scores := d.Tags.Scores
	if len(scores) == 0 {
		return fmt.Sprintf("-\t-\t%s\n", terminal.Printable(d.Path))
	}
	for _, s := range scores {
		if s.Speaks {
			line(s.Tag, s.Probability, "")
		}
	}
	if left == a.top {
		line("-", scores[0].Probability, "\tunsure\t"+whySilent(&d.Tags))
	}
	for _, s := range scores {
		if !s.Speaks && left > 0 {
			line(s.Tag, s.Probability, "\tunsure\tsuggestion")
		}
	}
	return b.String()
}

// Suggestions are at most so many silent tags, each at least as probable.
const (
	mostSuggested  = 3
	leastSuggested = .1
)

// suggested returns the silent tags that are nearest to being given, the most probable first.
func suggested(r *tags.Result) (list []tags.Score) {
	for _, s := range r.Scores {
		if !s.Speaks && s.Probability >= leastSuggested && r.Terms > 0 && len(list) < mostSuggested {
			list = append(list, s)
		}
	}
	return list
}

// whySilent says which tags a document without one may have.
func whySilent(r *tags.Result) string {
	if r.Terms == 0 {
		return string(decision.NoKnownTerm)
	}
	var near []string
	for _, s := range suggested(r) {
		near = append(near, fmt.Sprintf("%s %.4f", terminal.Printable(s.Tag), s.Probability))
	}
	if len(near) == 0 {
		return "no tag is near"
	}
	return "perhaps " + strings.Join(near, ", ")
}

// documentJSON is what 'polya classify --json' says of a document.
type documentJSON struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"` // of a path that is not UTF-8
	ID         string `json:"id"`
	OwnID      string `json:"own_id,omitempty"` // that a JSON line or a row gives
	MessageID  string `json:"message_id,omitempty"`
	Format     string `json:"format"`
	FormatFrom string `json:"format_from"`
}

// answerJSON is its line about the class of a document.
type answerJSON struct {
	documentJSON
	Class       string           `json:"class"`
	Probability terminal.Number  `json:"probability"`
	LogOdds     terminal.Number  `json:"log_odds"`
	Terms       int              `json:"terms"`
	Unsure      bool             `json:"unsure"`
	Reason      string           `json:"reason,omitempty"`
	Cost        *terminal.Number `json:"cost,omitempty"`
	Precision   terminal.Number  `json:"precision,omitempty"`
	Posterior   probabilities    `json:"posterior"`
}

// tagsJSON is its line about the tags of a document.
type tagsJSON struct {
	documentJSON
	Tags          []string      `json:"tags"`
	Suggestions   []string      `json:"suggestions"`
	Terms         int           `json:"terms"`
	Probabilities probabilities `json:"probabilities"`
}

// probabilities are an object whose keys are in their order.
type probabilities []classify.ClassProbability

// MarshalJSON implements json.Marshaler.
func (list probabilities) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = terminal.AppendNumber(append(terminal.AppendString(b, p.Class), ':'), p.Probability)
	}
	return append(b, '}'), nil
}

func (a *answers) object(d *reading.Document) any {
	about := documentJSON{d.Path, terminal.ExactPath(d.Path), d.ID.String(), d.Document.ID, d.MessageID, d.Format.String(), d.FormatFrom()}
	if a.tagger != nil {
		j := tagsJSON{about, append([]string{}, d.Tags.Tags()...), []string{}, d.Tags.Terms, nil}
		for _, s := range suggested(&d.Tags) {
			j.Suggestions = append(j.Suggestions, s.Tag)
		}
		for _, s := range d.Tags.Scores {
			j.Probabilities = append(j.Probabilities, classify.ClassProbability{Class: s.Tag, Probability: s.Probability})
		}
		return j
	}
	r := &d.Answer
	j := answerJSON{documentJSON: about, Class: r.Class, Probability: terminal.Number(r.Probability), LogOdds: terminal.Number(r.LogOdds), Terms: r.Terms,
		Unsure: r.Unsure, Precision: terminal.Number(r.Precision), Posterior: r.Posterior}
	if r.Unsure {
		j.Reason = reading.Reason(r.Reason)
	}
	if len(a.costs) > 0 {
		j.Cost = (*terminal.Number)(&r.Cost)
	}
	if a.top > 0 {
		j.Posterior = j.Posterior[:min(a.top, len(j.Posterior))]
	}
	return j
}

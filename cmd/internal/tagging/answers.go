// Package tagging predicts the tags of documents, for 'polya classify'.
package tagging

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Answers prints the tags of documents.
type Answers struct {
	Is      string // if not "", the tag that is asked about
	Unknown error  // the error if there is no such tag
	JSON    bool
	Quiet   bool
	Flush   bool // after each line
	Top     int  // lines of a document, with the most probable silent tags after those given
	Out     *bufio.Writer

	Given, Unread int  // documents, and those of them without a known term
	Rows          bool // some were rows of a table

	tagger *tags.Tagger
	line   []byte
	no     bool // some document should not have the tag Is
}

// New returns Answers of a Tagger.
func New(t *tags.Tagger) *Answers { return &Answers{tagger: t} }

// Work scores a document that was read. It may be called by several goroutines.
func (a *Answers) Work(ctx context.Context, d *reading.Document) {
	d.Tags, d.Err = a.tagger.Score(ctx, d.Learnable(""))
}

// Give prints the answer about a document.
func (a *Answers) Give(d *reading.Document) error {
	if d.Err != nil {
		return d.Err
	}
	a.Given, a.Rows = a.Given+1, a.Rows || d.Row
	if d.Tags.Terms == 0 {
		a.Unread++
	}
	speak := d.Tags.Tags()
	if a.Is != "" {
		if !slices.ContainsFunc(d.Tags.Scores, func(s tags.Score) bool { return s.Tag == a.Is }) {
			return a.Unknown
		}
		a.no = a.no || !slices.Contains(speak, a.Is)
	}
	if a.Quiet {
		return nil
	}
	if a.JSON {
		a.line = appendJSON(a.line[:0], d, speak)
	} else {
		a.line = appendText(a.line[:0], d, a.Top)
	}
	_, err := a.Out.Write(a.line)
	if a.Flush && err == nil {
		err = a.Out.Flush()
	}
	return err
}

// No reports whether some document should not have the tag Is.
func (a *Answers) No() bool { return a.no }

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

// appendText appends a line for each tag given, the most probable first, or one line with
// suggestions; and lines of silent tags up to top in all.
func appendText(b []byte, d *reading.Document, top int) []byte {
	for _, s := range d.Tags.Scores {
		if s.Speaks {
			b, top = append(terminal.AppendAnswer(b, s.Tag, s.Probability, d.Path), '\n'), top-1
		}
	}
	near := suggested(&d.Tags)
	switch {
	case len(b) > 0:
	case len(d.Tags.Scores) == 0:
		return append(append(append(b, "-\t-\t"...), terminal.Printable(d.Path)...), '\n')
	case len(near) == 0:
		reason := "no tag is near"
		if d.Tags.Terms == 0 {
			reason = string(decision.NoKnownTerm)
		}
		b, top = fmt.Appendf(terminal.AppendAnswer(b, "-", d.Tags.Scores[0].Probability, d.Path), "\tunsure\t%s\n", reason), top-1
	default:
		b, top = append(terminal.AppendAnswer(b, "-", near[0].Probability, d.Path), "\tunsure\tperhaps "...), top-1
		for i, s := range near {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = fmt.Appendf(b, "%s %.4f", terminal.Printable(s.Tag), s.Probability)
		}
		b = append(b, '\n')
	}
	for _, s := range d.Tags.Scores {
		if !s.Speaks && top > 0 {
			b, top = append(terminal.AppendAnswer(b, s.Tag, s.Probability, d.Path), "\tunsure\tsuggestion\n"...), top-1
		}
	}
	return b
}

// appendJSON appends the line of a document. It is written by hand because the probabilities
// are an object whose keys are in their order.
func appendJSON(b []byte, d *reading.Document, speak []string) []byte {
	b = terminal.AppendPath(append(b, '{'), d.Path)
	b = append(append(append(b, `,"id":"`...), d.ID.String()...), '"')
	if id := d.MessageID; id != "" {
		b = terminal.AppendString(append(b, `,"message_id":`...), id)
	}
	b = append(b, `,"tags":[`...)
	for i, tag := range speak {
		if i > 0 {
			b = append(b, ',')
		}
		b = terminal.AppendString(b, tag)
	}
	b = append(b, `],"suggestions":[`...)
	for i, s := range suggested(&d.Tags) {
		if i > 0 {
			b = append(b, ',')
		}
		b = terminal.AppendString(b, s.Tag)
	}
	b = strconv.AppendInt(append(b, `],"terms":`...), int64(d.Tags.Terms), 10)
	b = append(b, `,"probabilities":{`...)
	for i, s := range d.Tags.Scores {
		if i > 0 {
			b = append(b, ',')
		}
		b = terminal.AppendNumber(append(terminal.AppendString(b, s.Tag), ':'), s.Probability)
	}
	return append(b, "}}\n"...)
}

// Package tagging predicts the tags of documents, for 'polya classify'.
package tagging

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/classify"
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
	Out     *bufio.Writer

	tagger *tags.Tagger
	line   []byte
	no     bool // some document should not have the tag Is
}

// New returns Answers from a database, at a target precision, 0 for the default.
func New(c *classify.Classifier, precision float64) (*Answers, error) {
	t, err := tags.New(c, tags.Options{Precision: precision})
	return &Answers{tagger: t}, err
}

// Work scores a document that was read. It may be called by several goroutines.
func (a *Answers) Work(ctx context.Context, d *reading.Document) {
	d.Tags, d.Err = a.tagger.Score(ctx, d.Learnable(""))
}

// Give prints the answer about a document.
func (a *Answers) Give(d *reading.Document) error {
	if d.Err != nil {
		return d.Err
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
		a.line = appendText(a.line[:0], d)
	}
	_, err := a.Out.Write(a.line)
	if a.Flush && err == nil {
		err = a.Out.Flush()
	}
	return err
}

// No reports whether some document should not have the tag Is.
func (a *Answers) No() bool { return a.no }

// appendText appends a line for each tag given, the most probable first, or one line with
// the most probable tag.
func appendText(b []byte, d *reading.Document) []byte {
	some := false
	for _, s := range d.Tags.Scores {
		if s.Speaks {
			b, some = append(terminal.AppendAnswer(b, s.Tag, s.Probability, d.Path), '\n'), true
		}
	}
	if some {
		return b
	}
	if len(d.Tags.Scores) == 0 {
		return append(append(append(b, "-\t-\t"...), terminal.Printable(d.Path)...), '\n')
	}
	most := d.Tags.Scores[0]
	b = terminal.AppendAnswer(b, "-", most.Probability, d.Path)
	return fmt.Appendf(b, "\tunsure\t%s is the most probable tag\n", terminal.Printable(most.Tag))
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

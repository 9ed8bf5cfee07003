package main

import (
	"strconv"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// appendAnswer appends the lines of 'polya classify' for one document: its answer and
// of the other classes the most probable, top lines in all.
func appendAnswer(b []byte, path string, r *classify.Result, top int) []byte {
	b = appendAnswerLine(b, r.Class, r.Probability, path)
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
			b = append(appendAnswerLine(b, p.Class, p.Probability, path), '\n')
			top--
		}
	}
	return b
}

func appendAnswerLine(b []byte, class string, probability float64, path string) []byte {
	b = append(b, terminal.Printable(class)...)
	b = append(b, '\t')
	b = strconv.AppendFloat(b, probability, 'f', 4, 64)
	b = append(b, '\t')
	return append(b, terminal.Printable(path)...)
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
	if id := d.MessageID(); id != "" {
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

package main

import (
	"bytes"
	"math"
	"strconv"

	"github.com/polya-classifier/polya/classify"
)

// appendAnswer appends the lines of 'polya classify' for one document: its answer and
// of the other classes the most probable, top lines in all.
func appendAnswer(b []byte, path string, r *classify.Result, top int) []byte {
	b = appendAnswerLine(b, r.Class, r.Probability, path)
	if r.Unsure {
		b = append(b, "\tunsure\t"...)
		b = append(b, reason(r.Reason)...)
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
	b = append(b, printable(class)...)
	b = append(b, '\t')
	b = strconv.AppendFloat(b, probability, 'f', 4, 64)
	b = append(b, '\t')
	return append(b, printable(path)...)
}

// reason is a Reason in the words of the command.
func reason(r classify.Reason) string {
	if r == classify.HeldBack {
		return "held back by --fpr"
	}
	return string(r)
}

// appendAnswerJSON appends the line of 'polya classify --json', with the top most
// probable classes, or all if top is 0. It is written by hand because the posterior is
// an object whose keys are in order of probability.
func appendAnswerJSON(b []byte, d *document, costs bool, top int) []byte {
	r := &d.answer
	b = appendPath(append(b, '{'), d.path)
	b = append(b, `,"id":"`...)
	b = append(b, d.id.String()...)
	b = append(b, '"')
	if id := d.messageID(); id != "" {
		b = append(b, `,"message_id":`...)
		b = appendString(b, id)
	}
	b = append(b, `,"class":`...)
	b = appendString(b, r.Class)
	b = append(b, `,"probability":`...)
	b = appendNumber(b, r.Probability)
	b = append(b, `,"log_odds":`...)
	b = appendNumber(b, r.LogOdds)
	b = append(b, `,"terms":`...)
	b = strconv.AppendInt(b, int64(r.Terms), 10)
	b = append(b, `,"unsure":`...)
	b = strconv.AppendBool(b, r.Unsure)
	if r.Unsure {
		b = append(b, `,"reason":`...)
		b = appendString(b, reason(r.Reason))
	}
	if costs {
		b = append(b, `,"cost":`...)
		b = appendNumber(b, r.Cost)
	}
	b = append(b, `,"posterior":{`...)
	for i, p := range r.Posterior {
		if top > 0 && i == top {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, p.Class)
		b = append(b, ':')
		b = appendNumber(b, p.Probability)
	}
	return append(b, "}}\n"...)
}

// appendNumber appends a number that reads back as the same, or null for what
// JSON has no number for.
func appendNumber(b []byte, x float64) []byte {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return append(b, "null"...)
	}
	if x == 0 {
		x = 0 // rather than -0
	}
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(b, x, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

// appendString appends s as a JSON string, without escaping what only HTML needs
// escaped.
func appendString(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			plain = false
			break
		}
	}
	if plain {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	text, _ := encoded(s) // strings always encode
	return append(b, bytes.TrimSuffix(text, []byte("\n"))...)
}

// number is a float64 whose JSON is null where there is no number for it.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

// encodeJSON prints v as one line of JSON.
func (p *program) encodeJSON(v any) error {
	if p.quiet {
		return nil
	}
	line, err := encoded(v)
	if err == nil {
		_, err = p.stdout.Write(line)
	}
	return err
}

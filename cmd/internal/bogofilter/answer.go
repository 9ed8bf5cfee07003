package bogofilter

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/serve/backend"
)

// Field is the name of the field with the answer.
const Field = "X-Bogosity"

// The exit codes.
const (
	Spam    = 0
	Ham     = 1
	Unsure  = 2
	Trouble = 3
)

// class returns the exit code of an answer.
func class(a *backend.Answer) int {
	switch {
	case a.Unsure:
		return Unsure
	case a.Spam:
		return Spam
	}
	return Ham
}

var names = [...]string{Spam: "Spam", Ham: "Ham", Unsure: "Unsure"}

// spamicity returns the probability that the message is spam.
func spamicity(a *backend.Answer) float64 { return 1 / (1 + math.Exp2(-a.Score)) }

// value returns the value of the field.
func value(a *backend.Answer) string {
	return fmt.Sprintf("%s, tests=bogofilter, spamicity=%.6f, version=polya", names[class(a)], spamicity(a))
}

// line returns the line printed for a message, "" if no output was asked for. named
// reports whether the name of the input precedes it.
func (o *Options) line(a *backend.Answer) (line string, named bool) {
	letter := names[class(a)][:1]
	switch {
	case o.Fixed > 1:
		return fmt.Sprintf("%.16f", spamicity(a)), true
	case o.Fixed == 1:
		return fmt.Sprintf("%s %.6g", letter, spamicity(a)), true
	case o.Terse:
		return fmt.Sprintf("%s %.6f", letter, spamicity(a)), false
	case o.Verbose:
		return Field + ": " + value(a), true
	}
	return "", false
}

// Package wire encodes requests and replies of the control socket:
//
//	polya1 classify LENGTH "FILE" "CUT"    answer SPAM UNSURE TRUNCATED PROBABILITY SCORE THRESHOLD "CLASS"
//	polya1 learn LENGTH "FILE" "CUT" "CLASS" "SOURCE"    outcome N
//	polya1 forget LENGTH "FILE" "CUT"      outcome N
//	polya1 classes 0 "FILE"                classes "CLASS"…
//	polya1 lend 0 "FILE"                   lent
//	polya1 decisions 0 "FILE" "USER" "LIMIT"      decisions "DIGITS" ("ID" "TIME" "USER" "SOURCE" "SENDER" "SUBJECT" "CLASS" "PROBABILITY" "UNSURE")…
//	polya1 teach 0 "FILE" "USER" "ID" "CLASS" "SOURCE"    taught "N" "CLASS BEFORE"
//
// FILE is the name of the file of a user's database, without its folder, or "" for the shared one.
// CUT is true if only the beginning of a longer message was read, else false. lend borrows the
// file itself until the connection ends. A reply can also be
//
//	error WHAT "TEXT"
//
// where WHAT is one of the errors of package backend.
package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

const (
	protocol = "polya1"
	// MaxLine is the length of the line of a request; names of classes are shorter.
	MaxLine = 4096
)

// ErrProtocol says that a line is not a valid request or reply.
var ErrProtocol = errors.New("not a request or a reply of the control socket")

// A Request is the line of a request.
type Request struct {
	Verb          string // classify, learn, forget, classes, run, lend, decisions or teach
	Length        int    // of the message
	File          string // of a user's database, "" for the shared one
	Cut           bool   // the message is the beginning of a longer one
	Class, Source string // of learn and teach
	User          string // of teach and decisions; "" is anybody
	ID            string // of teach, or the beginning of one
	Limit         int    // of decisions, 0 for all
}

// given returns the strings that follow the length.
func (q *Request) given() []string {
	switch q.Verb {
	case "classify", "forget":
		return []string{strconv.FormatBool(q.Cut)}
	case "learn":
		return []string{strconv.FormatBool(q.Cut), q.Class, q.Source}
	case "teach":
		return []string{q.User, q.ID, q.Class, q.Source}
	case "decisions":
		return []string{q.User, strconv.Itoa(q.Limit)}
	}
	return nil
}

// Append appends the line.
func (q *Request) Append(b []byte) []byte {
	b = append(append(append(b, protocol...), ' '), q.Verb...)
	b = strconv.AppendInt(append(b, ' '), int64(q.Length), 10)
	return appendQuoted(b, append([]string{q.File}, q.given()...)...)
}

// ParseRequest reads a line without its end.
func ParseRequest(line string) (q Request, err error) {
	name, rest, _ := strings.Cut(line, " ")
	q.Verb, rest, _ = strings.Cut(rest, " ")
	length, rest, _ := strings.Cut(rest, " ")
	q.Length, err = strconv.Atoi(length)
	if err != nil || name != protocol || q.Length < 0 {
		return q, ErrProtocol
	}
	strs, err := quoted(rest)
	if err != nil || len(strs) == 0 {
		return q, ErrProtocol
	}
	q.File, strs = strs[0], strs[1:]
	switch {
	case len(strs) != len(q.given()):
		return q, ErrProtocol
	case q.Verb == "classify", q.Verb == "forget":
		q.Cut, err = parseCut(strs[0])
	case q.Verb == "learn":
		q.Class, q.Source = strs[1], strs[2]
		q.Cut, err = parseCut(strs[0])
	case q.Verb == "teach":
		q.User, q.ID, q.Class, q.Source = strs[0], strs[1], strs[2], strs[3]
	case q.Verb == "decisions":
		q.User = strs[0]
		if q.Limit, err = strconv.Atoi(strs[1]); err != nil || q.Limit < 0 {
			return q, ErrProtocol
		}
	}
	return q, err
}

func parseCut(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, ErrProtocol
	}
	return text == "true", nil
}

// appendQuoted appends strings in quotes, each after a space, and the end of the line.
func appendQuoted(b []byte, list ...string) []byte {
	for _, s := range list {
		b = strconv.AppendQuote(append(b, ' '), s)
	}
	return append(b, '\n')
}

// quoted reads strings in quotes with a space between them.
func quoted(text string) (list []string, err error) {
	for text != "" {
		one, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, ErrProtocol
		}
		value, err := strconv.Unquote(one)
		if err != nil {
			return nil, ErrProtocol
		}
		list = append(list, value)
		text = strings.TrimPrefix(text[len(one):], " ")
	}
	return list, nil
}

// codes are the errors that keep their identity over the socket.
var codes = []struct {
	code string
	err  error
}{
	{"busy", backend.ErrBusy}, {"class", backend.ErrClass}, {"user", backend.ErrUser}, {"size", backend.ErrSize}, {"forbidden", backend.ErrForbidden},
	{"decision", backend.ErrDecision}, {"ambiguous", backend.ErrAmbiguous},
}

// AppendError appends the reply that tells of an error.
func AppendError(b []byte, err error) []byte {
	what := "other"
	for _, known := range codes {
		if errors.Is(err, known.err) {
			what = known.code
		}
	}
	b = append(append(append(b, "error "...), what...), ' ')
	return append(strconv.AppendQuote(b, err.Error()), '\n')
}

// AppendAnswer appends the reply of classify.
func AppendAnswer(b []byte, a *backend.Answer) []byte {
	b = append(b, "answer"...)
	for _, is := range []bool{a.Spam, a.Unsure, a.Truncated} {
		b = strconv.AppendBool(append(b, ' '), is)
	}
	for _, x := range []float64{a.Probability, a.Score, a.Threshold} {
		b = strconv.AppendFloat(append(b, ' '), x, 'g', -1, 64)
	}
	return append(strconv.AppendQuote(append(b, ' '), a.Class), '\n')
}

// AppendOutcome appends the reply of learn and forget.
func AppendOutcome(b []byte, o backend.Outcome) []byte {
	return append(strconv.AppendInt(append(b, "outcome "...), int64(o), 10), '\n')
}

// AppendClasses appends the reply of classes.
func AppendClasses(b []byte, names []string) []byte {
	return appendQuoted(append(b, "classes"...), names...)
}

// A Reply is a reply, parsed.
type Reply struct {
	Kind      string // answer, outcome, classes, ran, decisions, taught or lent; says which other fields are set
	Answer    backend.Answer
	Outcome   backend.Outcome // of taught too
	From      string          // of taught: the class before, "" if there was none
	Classes   []string
	Decisions Decisions
}

// ParseReply reads a reply with its line end, and returns the error that it tells of.
func ParseReply(line string) (r Reply, err error) {
	line, whole := strings.CutSuffix(line, "\n")
	if !whole {
		return r, ErrProtocol
	}
	kind, rest, _ := strings.Cut(line, " ")
	r.Kind = kind
	switch kind {
	case "error":
		code, text, _ := strings.Cut(rest, " ")
		if text, err = strconv.Unquote(text); err != nil {
			return r, ErrProtocol
		}
		for _, known := range codes {
			if code == known.code {
				return r, known.err
			}
		}
		return r, errors.New(text)
	case "outcome":
		r.Outcome, err = parseOutcome(rest)
	case "taught":
		r.Outcome, r.From, err = parseTaught(rest)
	case "decisions":
		r.Decisions, err = parseDecisions(rest)
	case "classes":
		r.Classes, err = quoted(rest)
	case "lent":
	case "answer":
		r.Answer, err = parseAnswer(rest)
	default:
		err = ErrProtocol
	}
	return r, err
}

func parseOutcome(text string) (backend.Outcome, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < int(backend.Unchanged) || n > int(backend.Forgotten) {
		return 0, ErrProtocol
	}
	return backend.Outcome(n), nil
}

func parseAnswer(text string) (a backend.Answer, err error) {
	fields := strings.SplitN(text, " ", 7)
	if len(fields) != 7 {
		return a, ErrProtocol
	}
	var errs [7]error
	a.Spam, errs[0] = strconv.ParseBool(fields[0])
	a.Unsure, errs[1] = strconv.ParseBool(fields[1])
	a.Truncated, errs[2] = strconv.ParseBool(fields[2])
	a.Probability, errs[3] = strconv.ParseFloat(fields[3], 64)
	a.Score, errs[4] = strconv.ParseFloat(fields[4], 64)
	a.Threshold, errs[5] = strconv.ParseFloat(fields[5], 64)
	a.Class, errs[6] = strconv.Unquote(fields[6])
	if errors.Join(errs[:]...) != nil {
		return a, fmt.Errorf("%w: %.100q", ErrProtocol, text)
	}
	return a, nil
}

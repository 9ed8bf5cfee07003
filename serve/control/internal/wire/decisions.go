package wire

import (
	"strconv"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// Decisions are the last answers of a daemon.
type Decisions struct {
	Digits int                // leading digits that distinguish each id from all others kept
	List   []backend.Decision // the newest first
}

// columns is the number of strings that a decision is written as.
const columns = 9

// AppendDecisions appends the reply of decisions.
func AppendDecisions(b []byte, all *Decisions) []byte {
	texts := make([]string, 0, 1+columns*len(all.List))
	texts = append(texts, strconv.Itoa(all.Digits))
	for i := range all.List {
		d := &all.List[i]
		texts = append(texts, d.ID, d.Time.UTC().Format(time.RFC3339Nano), d.User, d.Source, d.Sender, d.Subject, d.Class,
			strconv.FormatFloat(d.Probability, 'g', -1, 64), strconv.FormatBool(d.Unsure))
	}
	return appendQuoted(append(b, "decisions"...), texts...)
}

func parseDecisions(text string) (all Decisions, err error) {
	texts, err := quoted(text)
	if err != nil || len(texts)%columns != 1 {
		return all, ErrProtocol
	}
	if all.Digits, err = strconv.Atoi(texts[0]); err != nil || all.Digits < 0 {
		return all, ErrProtocol
	}
	for t := texts[1:]; len(t) > 0; t = t[columns:] {
		d := backend.Decision{ID: t[0], User: t[2], Source: t[3], Sender: t[4], Subject: t[5], Class: t[6]}
		var errs [3]error
		d.Time, errs[0] = time.Parse(time.RFC3339Nano, t[1])
		d.Probability, errs[1] = strconv.ParseFloat(t[7], 64)
		d.Unsure, errs[2] = strconv.ParseBool(t[8])
		if errs != [3]error{} {
			return all, ErrProtocol
		}
		all.List = append(all.List, d)
	}
	return all, nil
}

// AppendTaught appends the reply of teach.
func AppendTaught(b []byte, o backend.Outcome, from string) []byte {
	return appendQuoted(append(b, "taught"...), strconv.Itoa(int(o)), from)
}

func parseTaught(text string) (o backend.Outcome, from string, err error) {
	texts, err := quoted(text)
	if err != nil || len(texts) != 2 {
		return 0, "", ErrProtocol
	}
	o, err = parseOutcome(texts[0])
	return o, texts[1], err
}

package page

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// why is an explanation, prepared for display.
type why struct {
	*answer.Explanation
	Terms []weighed
	Parts []part
}

const shownTerms = 24

// shownClasses is the number of likeliest classes whose counts are shown.
const shownClasses = 4

// Columns returns the classes whose counts are shown.
func (w *why) Columns() []string { return w.Classes[:min(shownClasses, len(w.Classes))] }

// Shown reports whether a class is shown: at least two, and others unless they are nearly impossible.
func (w *why) Shown(i int) bool { return i < 2 || i < 6 && w.Posterior[i] >= .0005 }

// Suggested returns the tags that are not given, and not improbable.
func (w *why) Suggested() (list []string) {
	for i, tag := range w.Classes {
		if w.Posterior[i] >= .1 && !slices.Contains(w.Tags, tag) {
			list = append(list, tag)
		}
	}
	return list
}

// First returns the terms with the largest contributions.
func (w *why) First() []weighed { return w.Terms[:min(shownTerms, len(w.Terms))] }

// Rest returns the terms that First does not return.
func (w *why) Rest() []weighed { return w.Terms[len(w.First()):] }

// Top returns a few of the terms with the largest contributions.
func (w *why) Top() []weighed { return w.Terms[:min(6, len(w.Terms))] }

// excerpted is the approximate number of bytes of an excerpt.
const excerpted = 280

// Excerpt returns the beginning of the text, on one line.
func (w *why) Excerpt() (list []run) {
	for _, p := range w.Parts {
		if p.Name != "" {
			continue
		}
		left := excerpted
		for _, r := range p.Runs {
			if len(r.Text) > left {
				r.Text = strings.ToValidUTF8(r.Text[:left], "") + " …"
			}
			list = append(list, r)
			if left -= len(r.Text); left <= 0 {
				return list
			}
		}
	}
	return list
}

// weighed is a term of a message.
type weighed struct {
	backend.Reason
	Field, Word string   // "from", "alice"
	Length      float64  // of its bar, in percent of the longest
	Having      []uint64 // documents of each class
}

// For reports whether the term supports the answer.
func (w *weighed) For() bool { return w.Bits > 0 }

// part is a passage of a message in runs of one colour.
type part struct {
	Name string // of what it is, "" for text that is seen
	Line bool
	Runs []run
}

// called names passages that are not fields of the header.
var called = map[string]string{"url": "link", "file": "file", "invisible": "hidden text", "title": "title", "heading": "heading", "link": "text of a link"}

type run struct {
	Text, Colour, Title string // Colour "" is text without weight
}

func weigh(x *answer.Explanation) why {
	w := why{Explanation: x}
	most := 0.0
	for _, r := range x.Reasons {
		most = max(most, math.Abs(r.Bits))
	}
	for i, r := range x.Reasons {
		t := weighed{Reason: r, Word: r.Term, Length: round(100 * math.Abs(r.Bits) / max(most, 1e-9)), Having: x.Having[i][:min(shownClasses, len(x.Classes))]}
		if field, word, found := strings.Cut(r.Term, ":"); found && field != "" {
			t.Field, t.Word = field, word
		}
		w.Terms = append(w.Terms, t)
	}
	slices.SortStableFunc(w.Terms, func(a, b weighed) int { return cmp.Compare(math.Abs(b.Bits), math.Abs(a.Bits)) })
	for _, t := range x.Text {
		line := t.Header || t.Name == "url" || t.Name == "file"
		if p := (part{cmp.Or(called[t.Name], t.Name), line, runs(&t, x.Weights, most)}); strings.TrimSpace(t.Text) != "" && (!p.Line || p.coloured() || p.place() < 1) {
			w.Parts = append(w.Parts, p)
		}
	}
	slices.SortStableFunc(w.Parts, func(a, b part) int { return cmp.Compare(a.place(), b.place()) })
	return w
}

// place returns the rank of a part on the screen: sender, subject, the rest of the header, the
// text, other texts, links and file names.
func (p *part) place() int {
	switch {
	case p.Name == "from":
		return -1
	case p.Name == "subject":
		return 0
	case p.Name == called["url"] || p.Name == called["file"]:
		return 4
	case p.Line:
		return 1
	case p.Name == "":
		return 2
	}
	return 3
}

func (p *part) coloured() bool {
	return slices.ContainsFunc(p.Runs, func(r run) bool { return r.Colour != "" })
}

// levels are the shares of the largest contribution at which the colour gets stronger.
var levels = []float64{.08, .25, .6}

// runs cuts a passage where its colour changes.
func runs(p *mail.Part, weights map[string]float64, most float64) (list []run) {
	at := 0
	for _, s := range p.Places {
		weight, level := weights[s.Term], 0
		for level < len(levels) && math.Abs(weight) >= levels[level]*most {
			level++
		}
		if level == 0 {
			continue
		}
		side := "for"
		if weight < 0 {
			side = "against"
		}
		if s.Start > at {
			list = append(list, run{Text: p.Text[at:s.Start]})
		}
		list = append(list, run{p.Text[s.Start:s.End], fmt.Sprintf("%s w%d", side, level), fmt.Sprintf("%s: %s bits", s.Term, bits(weight))})
		at = s.End
	}
	if at < len(p.Text) {
		list = append(list, run{Text: p.Text[at:]})
	}
	return tidy(list)
}

// emptyLines matches the runs of empty lines that HTML leaves for its elements.
var emptyLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*\n\s*\n\s*\n\s*`) })

// tidy shortens runs of empty lines and trims space at both ends.
func tidy(list []run) []run {
	for i := range list {
		text := strings.ToValidUTF8(list[i].Text, "\uFFFD")
		if text = emptyLines().ReplaceAllString(text, "\n\n"); i == 0 {
			text = strings.TrimLeft(text, " \t\r\n")
		}
		if i == len(list)-1 {
			text = strings.TrimRight(text, " \t\r\n")
		}
		list[i].Text = text
	}
	return list
}

// ask is the data of the screen of that name.
type ask struct {
	Asked   bool
	Text    string // the message, if it was pasted
	Message string // in base64, "" if it is too long to go back and forth
	Why     why
	Picker  picker
	Learned *backend.Entry
}

// longest is the largest size of a message that the form carries back and forth.
const longest = 1 << 20

func (p *page) ask(v *visit) error {
	v.Screen, v.Title = "ask", "Try a message"
	b := new(ask)
	v.Body = b
	if !v.posted() {
		return nil
	}
	message := v.form.file
	if kept := v.form.Get("kept"); kept != "" {
		var err error
		if message, err = base64.StdEncoding.DecodeString(kept); err != nil {
			return backend.Failure{Code: 400, Text: "The message of the form is damaged."}
		}
		b.Text = v.form.Get("message")
	} else if len(message) == 0 {
		b.Text = v.form.Get("message")
		message = []byte(b.Text)
	}
	if len(message) == 0 {
		v.Status = &status{Text: "There is nothing to ask about: paste a message or choose a file."}
		return nil
	}
	r := backend.Request{User: v.User, Message: message}
	if v.form.Has("teach") || v.form.Has("new") || v.form.Has("undo") {
		if err := p.teachAsked(v, r); err != nil {
			return err
		}
	}
	x, err := p.Admin.Explain(v, r)
	if err != nil {
		return err
	}
	learned, err := p.Admin.learned(v, v.User, []backend.Decision{{ID: x.ID, User: v.User}})
	if err != nil {
		return err
	}
	b.Asked, b.Learned, b.Why, b.Picker = true, learned[0], weigh(&x), v.picker(probable(&x), learned[0].Said())
	if len(message) > longest {
		b.Text = ""
		return nil
	}
	b.Message = base64.StdEncoding.EncodeToString(message)
	if v.Status != nil && v.Status.Undo != nil {
		v.Status.Message = b.Message
	}
	return nil
}

// teachAsked learns the message in the form, or puts it back.
func (p *page) teachAsked(v *visit, r backend.Request) error {
	return p.teach(v, nil, func(list []backend.Revision) (done []backend.Revised, err error) {
		for _, c := range list {
			r.Source = cmp.Or(c.By, by)
			outcome, err := p.Backend.Learn(v, r, c.Class)
			if err != nil {
				return nil, err
			}
			done = append(done, backend.Revised{Outcome: outcome})
		}
		return done, nil
	})
}

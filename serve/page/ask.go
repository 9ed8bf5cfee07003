package page

import (
	"cmp"
	"encoding/base64"

	"github.com/polya-classifier/polya/serve/backend"
)

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

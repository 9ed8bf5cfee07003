package page

import (
	"encoding/base64"
	"fmt"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// ask is the data of the screen of that name.
type ask struct {
	Asked   bool
	Text    string // the message, if it was pasted
	Message string // in base64, "" if it is too long to go back and forth
	Why     why
	Choices []choice
	Learned *backend.Entry
}

// longest is the largest size of a message that the form carries back and forth. Nobody
// pastes a longer one.
const longest = 1 << 20

func (p *page) ask(v *visit) error {
	v.Screen, v.Title = "ask", "Ask"
	b := new(ask)
	v.Body = b
	if !v.posted() {
		return nil
	}
	message := v.form.file
	if kept := v.form.Get("kept"); kept != "" {
		var err error
		if message, err = base64.StdEncoding.DecodeString(kept); err != nil {
			return web.Failure{Code: 400, Text: "The message of the form is damaged."}
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
	r := backend.Request{User: v.User, Message: message, Source: by}
	if v.form.Has("teach") || v.form.Has("undo") {
		if err := p.teachAsked(v, r, v.form.Get("id")); err != nil {
			return err
		}
	}
	x, err := p.Desk.Explain(v, r)
	if err != nil {
		return err
	}
	learned, err := p.Desk.Learned(v, v.User, []backend.Decision{{ID: x.ID, User: v.User}})
	if err != nil {
		return err
	}
	b.Asked, b.Learned, b.Why, b.Choices = true, learned[0], weigh(&x), v.choices(&x)
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

// teachAsked learns the message in the form, or undoes that.
func (p *page) teachAsked(v *visit, r backend.Request, id string) error {
	before, err := p.Desk.Learned(v, v.User, []backend.Decision{{ID: id, User: v.User}})
	if err != nil {
		return err
	}
	was := ""
	if before[0] != nil {
		was = before[0].Class
	}
	class := v.form.Get("teach")
	if v.form.Has("undo") {
		if class = v.form.Get("class"); class == "" {
			_, err = p.Backend.Forget(v, r)
			v.Status = &status{Text: "Undone: the message is not learned."}
			return err
		}
	}
	outcome, err := p.Backend.Learn(v, r, class)
	if err != nil {
		return err
	}
	switch {
	case outcome == backend.Unchanged:
		v.Status = &status{Text: fmt.Sprintf("It was taught as %s before.", class)}
	case v.form.Has("undo"):
		v.Status = &status{Text: fmt.Sprintf("Undone: it is %s again.", class)}
	default:
		v.Status = &status{Text: fmt.Sprintf("Taught as %s.", class), Undo: []backend.Revision{{ID: id, Class: was}}}
	}
	return nil
}

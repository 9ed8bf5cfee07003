package milter

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// finish gives the verdict on a complete message.
func (c *conversation) finish(ctx context.Context) {
	start := time.Now()
	if c.m.busy {
		c.Log.Warn("milter: no memory for a message; refused temporarily", "queue", c.queue)
		c.reply(replyTempFail)
		return
	}
	text, cut := c.m.text.Text()
	log := c.Log.With("queue", c.queue, "bytes", len(text), "cut", cut)
	if c.m.forged > maxForged {
		log.Warn("milter: message rejected for its forged fields", "forged", c.m.forged)
		c.refuse("550 5.7.1", "Message has too many "+backend.ResultField+" fields")
		return
	}
	// A message in hand is finished, even if the server is told to stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.AnswerTime)
	defer cancel()
	answer, err := c.Backend.Classify(ctx, backend.Request{User: c.user(), Message: text, Cut: cut, Source: "milter"}, false)
	if err != nil {
		log.Error("milter: no answer", "error", err, "tempfail", c.TempFailOnError)
		if c.TempFailOnError {
			c.reply(replyTempFail)
			return
		}
		c.deleteForged()
		c.reply(replyContinue)
		return
	}
	rule := c.rule(answer)
	log.Info("milter: classified", "class", answer.Class, "probability", answer.Probability, "unsure", answer.Unsure,
		"action", rule.Action, "forged", c.m.forged, "took", time.Since(start))
	switch rule.Action {
	case Reject:
		c.refuse("550 5.7.1", cmp.Or(rule.Text, "Message rejected by its contents"))
	case TempFail:
		c.refuse("451 4.7.1", cmp.Or(rule.Text, "Message deferred by its contents, try again later"))
	default:
		c.deleteForged()
		c.addAnswer(answer)
		if rule.Action == Quarantine && c.agreed.actions&actionQuarantine != 0 {
			// Postfix before 2.8 took nothing after it.
			c.reply(replyQuarantine, cmp.Or(rule.Text, "classified as "+answer.Field()), "\x00")
		}
		c.reply(replyContinue)
	}
}

func (c *conversation) user() string {
	switch {
	case c.UserFrom == Recipient && !c.m.several && c.m.recipient != "":
		return c.m.recipient
	case c.UserFrom == Authenticated && c.m.auth != "":
		return c.m.auth
	}
	return c.User
}

func (s *Server) rule(a backend.Answer) Rule {
	for _, r := range s.Rules {
		if !a.Unsure && (r.Class == "" || r.Class == a.Class) && a.Probability >= r.Above {
			return r
		}
	}
	return Rule{Action: Deliver}
}

// deleteForged deletes the fields of our name, the last first: so the indices of others stay valid.
func (c *conversation) deleteForged() {
	if c.agreed.actions&actionChangeHeaders == 0 {
		return
	}
	for i := c.m.forged; i > 0; i-- {
		c.reply(replyChange, word(uint32(i)), backend.ResultField, "\x00", "\x00")
	}
}

func (c *conversation) addAnswer(a backend.Answer) {
	if c.agreed.actions&actionAddHeaders == 0 {
		return
	}
	value := a.Field()
	if c.agreed.protocol&leadSpace != 0 {
		value = " " + value // the same space that incoming values have
	}
	c.reply(replyAddHeader, backend.ResultField, "\x00", value, "\x00")
}

// refuse replies with a code and a text. Sendmail reads the text as a format.
func (c *conversation) refuse(code, text string) {
	c.reply(replyCode, code, " ", strings.ReplaceAll(text, "%", "%%"), "\x00")
}

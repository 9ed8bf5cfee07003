package spamd

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"time"
	"unicode"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/serve/internal/points"
)

func (s *Server) answer(ctx context.Context, c net.Conn, r *bufio.Reader, q request) error {
	switch q.verb {
	case "PING":
		return s.write(c, "SPAMD/1.5 0 PONG\r\n")
	case "SKIP":
		return nil
	case "TELL":
		return s.tell(ctx, c, r, q)
	default:
		return s.check(ctx, c, r, q)
	}
}

// check classifies the message and replies in the form that the verb asks for.
func (s *Server) check(ctx context.Context, c net.Conn, r *bufio.Reader, q request) error {
	start := time.Now()
	message, free, err := q.message(r, s.Memory, s.Message)
	defer free()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.AnswerTime)
	defer cancel()
	user, _ := s.recipient(q)
	reasons := strings.HasPrefix(q.verb, "REPORT")
	a, err := s.Backend.Classify(ctx, backend.Request{User: user, Message: message, Source: source}, reasons)
	if err != nil {
		return err
	}
	s.Log.Info("spamd: classified", "verb", q.verb, "user", s.logged(q), "bytes", len(message), "class", a.Class,
		"unsure", a.Unsure, "probability", a.Probability, "took", time.Since(start))
	switch {
	case q.rspamd:
		return s.write(c, rspamdReply(a))
	case q.verb == "PROCESS" || q.verb == "HEADERS":
		return s.process(c, q, a, message)
	case q.verb == "CHECK":
		return s.write(c, "SPAMD/1.1 0 EX_OK\r\n"+spamField(a)+"\r\n")
	}
	text := ""
	switch {
	case q.verb == "SYMBOLS":
		text = points.Symbol(a)
		if q.version < 103 {
			text += "\r\n"
		}
	case q.verb == "REPORT" || a.Spam:
		text = report(a)
	}
	if q.version < 103 {
		return s.write(c, "SPAMD/1.1 0 EX_OK\r\n"+spamField(a)+"\r\n"+text)
	}
	return s.write(c, fmt.Sprintf("SPAMD/1.1 0 EX_OK\r\nContent-length: %d\r\n%s\r\n%s", len(text), spamField(a), text))
}

// recipient returns the user a request is for, and whether the token was shown: in a
// field Token, or after the user and a colon, since spamc can send only a user.
func (s *Server) recipient(q request) (user string, token bool) {
	user = q.recipient()
	if at := strings.LastIndexByte(user, ':'); at >= 0 && access.Token(s.Token, user[at+1:]) {
		return user[:at], true
	}
	return user, access.Token(s.Token, q.token)
}

// logged returns the user without a part that may be meant as a token.
func (s *Server) logged(q request) string {
	user, _, _ := strings.Cut(q.recipient(), ":")
	return user
}

// process replies with the message and fields for its answer, or with its header alone. SpamAssassin's fields are
// replaced like our own: programs that filter by them must not take a forgery for an answer.
func (s *Server) process(c net.Conn, q request, a backend.Answer, message []byte) error {
	head, body := header.Edit(message, fields(a), forged)
	if q.verb == "HEADERS" {
		body = nil
	}
	n := len(head) + len(body)
	switch {
	case q.version >= 103:
		return s.write(c, fmt.Sprintf("SPAMD/1.1 0 EX_OK\r\nContent-length: %d\r\n%s\r\n", n, spamField(a)), head, body)
	case q.version == 102:
		return s.write(c, fmt.Sprintf("SPAMD/1.1 0 EX_OK\r\nContent-length: %d\r\n\r\n", n), head, body)
	default:
		return s.write(c, "SPAMD/1.0 0 EX_OK\r\n", head, body)
	}
}

func forged(name string) bool { return header.Ours(name) || strings.HasPrefix(name, "x-spam-") }

func (s *Server) tell(ctx context.Context, c net.Conn, r *bufio.Reader, q request) error {
	caller := access.Over(c)
	caller.User, caller.Token = s.recipient(q)
	switch {
	case !s.MayTeach(caller):
		return backend.ErrForbidden
	case !q.told:
		return failure{exProtocol, "neither Set nor Remove"}
	case q.set && q.remove:
		return failure{exProtocol, "Unable to set local and remove local in the same operation."}
	case q.set && q.class == "":
		return failure{exProtocol, "Set without Message-class"}
	}
	start := time.Now()
	message, free, err := q.message(r, s.Memory, s.Message)
	defer free()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.AnswerTime)
	defer cancel()
	outcome := backend.Unchanged
	if q.set || q.remove {
		class := ""
		if q.set {
			class = q.class
		}
		outcome, err = s.Backend.Learn(ctx, backend.Request{User: caller.User, Message: message, Source: source}, class)
	}
	if err != nil {
		return err
	}
	s.Log.Info("spamd: told", "user", s.logged(q), "bytes", len(message), "class", cmp.Or(q.class, "none"),
		"changed", outcome != backend.Unchanged, "took", time.Since(start))
	return s.write(c, "SPAMD/1.1 0 EX_OK\r\n"+did[outcome]+"\r\n")
}

// did maps an outcome to the field of the reply.
var did = map[backend.Outcome]string{
	backend.Learned:   "DidSet: local\r\n",
	backend.Moved:     "DidSet: local\r\n",
	backend.Forgotten: "DidRemove: local\r\n",
}

func fields(a backend.Answer) []header.Field {
	score, threshold := scores(a)
	word := "No"
	all := []header.Field{{Name: backend.ResultField, Value: a.Field()}}
	if a.Spam {
		word, all = "Yes", append(all, header.Field{Name: "X-Spam-Flag", Value: "YES"})
	}
	return append(all, header.Field{Name: "X-Spam-Status", Value: fmt.Sprintf("%s, score=%s required=%s tests=%s autolearn=no version=polya",
		word, score, threshold, points.Symbol(a))})
}

// verdict is how both protocols write whether a message is spam.
var verdict = map[bool]string{true: "True", false: "False"}

func spamField(a backend.Answer) string {
	score, threshold := scores(a)
	return fmt.Sprintf("Spam: %s ; %s / %s\r\n", verdict[a.Spam], score, threshold)
}

func scores(a backend.Answer) (score, threshold string) {
	x, limit := points.Scores(a)
	return fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", limit)
}

func report(a backend.Answer) string {
	var b strings.Builder
	score, threshold := scores(a)
	fmt.Fprintf(&b, "polya: %s\nscore %s of %s\n", a.Field(), score, threshold)
	if len(a.Reasons) > 0 {
		fmt.Fprintf(&b, "\n    bits  count  term\n")
	}
	for _, r := range a.Reasons {
		fmt.Fprintf(&b, "%8.1f %6d  %s\n", r.Bits, r.Count, printable(r.Term))
	}
	return b.String()
}

// printable returns a term on one line.
func printable(term string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, term)
}

// rspamdReply returns the reply to Exim's variant=rspamd. The third number is the score
// from which rspamd rejects, and no score reaches it: Exim decides about rejection.
func rspamdReply(a backend.Answer) string {
	score, threshold := scores(a)
	action := "no action"
	if a.Spam {
		action = "add header"
	}
	return fmt.Sprintf("RSPAMD/1.3 0 EX_OK\r\nMetric: default; %s; %s / %s / %d.0\r\nAction: %s\r\nSymbol: %s\r\npolya: %s\r\n",
		verdict[a.Spam], score, threshold, points.Max+1, action, points.Symbol(a), a.Field())
}

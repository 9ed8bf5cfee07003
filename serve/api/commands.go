package api

import (
	"context"
	"net/http"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// command refuses a request that is not of a command, and has it name a user in place of a file.
func (s *Server) command(r *http.Request) error {
	if !access.Owner(web.PeerOf(r).Caller) {
		return backend.ErrForbidden
	}
	q := r.URL.Query()
	if q.Get("file") == "" {
		return nil
	}
	user, err := s.options.Engine.Owner(q.Get("file"))
	if err == nil {
		q.Set("user", user)
		r.URL.RawQuery = q.Encode()
	}
	return err
}

// lend lends a file until the caller hangs up or the server ends.
func (s *Server) lend(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(web.PeerOf(r).Serving, cancel)()
	waiting, waited := context.WithTimeout(ctx, s.AnswerTime)
	giveBack, err := s.options.Engine.Lend(waiting, user(r))
	waited()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer giveBack()
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	web.Reply(w, http.StatusOK, map[string]string{"status": "lent"})
	if c.Flush() == nil {
		<-ctx.Done()
	}
}

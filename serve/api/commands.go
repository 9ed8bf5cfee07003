package api

import (
	"context"
	"net/http"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// Commands are what the commands of polya may do beside all else, on a unix socket that serves
// them alone. Only root and the user that the daemon runs as may ask anything there. They are told
// errors in full, may name a user by the file of his database (?file=), and may list all decisions
// (?limit=0).
type Commands struct {
	// Owner returns the user whose database has this file name. nil knows no users.
	Owner func(file string) (user string, err error)

	// Lend lends the file of a user's database, or of the shared one if user is "", until
	// giveBack is called.
	Lend func(ctx context.Context, user string) (giveBack func(), err error)
}

// command returns the error of a request that is not of a command, and has it name a user in place
// of a file.
func (s *Server) command(r *http.Request) error {
	if !access.Owner(web.PeerOf(r).Caller) {
		return backend.ErrForbidden
	}
	q := r.URL.Query()
	file, owner := q.Get("file"), s.options.Commands.Owner
	switch {
	case file == "":
		return nil
	case owner == nil:
		return backend.ErrUser
	}
	user, err := owner(file)
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
	giveBack, err := s.options.Commands.Lend(waiting, user(r))
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

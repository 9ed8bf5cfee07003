package spamd

import (
	"bufio"
	"cmp"
	"context"
	"net"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
)

// tell learns or forgets the message.
func (s *Server) tell(ctx context.Context, c net.Conn, r *bufio.Reader, q request) error {
	user, token := s.recipient(q)
	switch {
	case !s.MayTeach.Allows(access.Caller{User: user, Token: token, UID: access.UID(c)}):
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
	request := backend.Request{User: user, Message: message, Source: source}
	switch {
	case q.set:
		outcome, err = s.Backend.Learn(ctx, request, q.class)
	case q.remove:
		outcome, err = s.Backend.Forget(ctx, request)
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

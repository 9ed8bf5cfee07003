// Package rspamd answers like rspamd's workers over HTTP, for rspamc and other clients of
// rspamd: /checkv2, /learnspam, /learnham, /learnclass, /stat and the like.
package rspamd

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// A Server answers requests. It may serve several listeners at a time.
type Server struct {
	*web.Server
	handler http.Handler
	start   time.Time

	scanned, spam, learned atomic.Int64
}

// New makes a server, whose Token is the password of rspamc.
func New(o gate.Options) *Server {
	s := &Server{Server: web.New(o), start: time.Now()}
	// A page in a browser may not ask a server on its machine.
	s.handler = http.NewCrossOriginProtection().Handler(s.Timed(s.routes()))
	return s
}

// Serve answers the connections of l until ctx is done. Then it closes l, gives requests
// in progress at most 20 seconds, and returns nil. It returns an error if l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.Server.Serve(ctx, l, s.handler)
}

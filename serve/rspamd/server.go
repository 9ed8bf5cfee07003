// Package rspamd answers like rspamd's workers over HTTP, for rspamc and other clients of
// rspamd: /checkv2, /learnspam, /learnham, /learnclass, /stat and the like.
package rspamd

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// Options says how a Server answers. Zero selects the default.
type Options struct {
	Log      *slog.Logger // where requests and failures are logged, without content; nil logs nothing
	Password string       // what callers show to teach over TCP; "" is never
	MayLearn access.Rule  // who may teach; nil is access.Owner
	Version  string       // of the program, for /stat

	gate.Limits
}

// A Server answers requests. It may serve several listeners at a time.
type Server struct {
	backend backend.Backend
	options Options
	web     *web.Server
	handler http.Handler
	start   time.Time

	scanned, spam, learned atomic.Int64
}

// New makes a server for a classifier.
func New(b backend.Backend, o Options) *Server {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Limits = o.Limits.Filled()
	s := &Server{backend: b, options: o, web: web.New(o.Limits, o.Log), start: time.Now()}
	// A page in a browser may not ask a server on its machine.
	s.handler = http.NewCrossOriginProtection().Handler(s.web.Timed(s.routes()))
	return s
}

// Serve answers the connections of l until ctx is done. Then it closes l, gives requests
// in progress at most 20 seconds, and returns nil. It returns an error if l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.web.Serve(ctx, l, s.handler)
}

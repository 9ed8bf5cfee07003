// Package rspamd answers like rspamd's workers over HTTP, for rspamc and other clients of
// rspamd: /checkv2, /learnspam, /learnham, /learnclass, /stat and the like.
package rspamd

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// A Server answers requests. It may serve several listeners at a time.
type Server struct {
	*web.Server
	start time.Time

	scanned, spam, learned atomic.Int64
}

// New makes a server, whose Token is the password of rspamc.
func New(o gate.Options) *Server {
	s := &Server{Server: web.New(o), start: time.Now()}
	// A page in a browser may not ask a server on its machine.
	s.Handler = http.NewCrossOriginProtection().Handler(s.Timed(s.routes()))
	return s
}

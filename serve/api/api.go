// Package api answers programs over HTTP: a message is the body of a request, and the
// answer is JSON. The document at /v1/openapi.json describes it. Beside that are /healthz,
// /readyz and, as Prometheus reads them, /metrics.
package api

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// The limits of who sets none.
const (
	// DefaultConnections leaves room for those that are kept open between requests.
	DefaultConnections = 1024
	// DefaultMessage is more than mail servers accept.
	DefaultMessage = 64 << 20
	// memory lets four of the longest messages in at a time.
	memory = 4
	// headerTime is how long a client may take for the lines before the message,
	// messageTime for the message, and then to read the reply.
	headerTime  = 10 * time.Second
	messageTime = time.Minute
	idleTime    = time.Minute
	// answerTime is how long the classifier may take, also to read the ledger.
	answerTime = 30 * time.Second
	// graceTime is how long what is in hand may take when the server ends.
	graceTime   = 20 * time.Second
	headerBytes = 16 << 10
)

// OpenAPI describes the requests and replies, as JSON.
//
//go:embed openapi.json
var OpenAPI []byte

// An Engine has what a Backend has not: what is in the databases, and the last answers.
type Engine interface {
	Use(ctx context.Context, user string, f func(*classify.Classifier) error) error
	Ready(ctx context.Context) error
	Decisions(user string, limit int) ([]decisions.Decision, error)
	Teach(ctx context.Context, user, id, class, by string) (backend.Outcome, error)
	AutoState() engine.AutoState
	ResumeAuto(ctx context.Context) error
	TakeBack(ctx context.Context, user string, since time.Time) (int, error)
}

// Options say how a Server answers. Backend and Engine are needed.
type Options struct {
	Backend backend.Backend
	Engine  Engine
	Metrics func(context.Context, io.Writer) error // writes /metrics; nil is without

	Log      *slog.Logger // where failures are logged, without content; nil is nowhere
	Token    string       // what callers over TCP show; "" is nobody
	MayTeach access.Rule  // who may teach and read the ledger over a socket; nil is access.Owner
	Hosts    []string     // names of the server beside those of the loopback
	Version  string       // of the program

	Connections int   // at a time; 0 is the default
	Message     int64 // bytes of a message; 0 is the default
}

// Server answers requests. It may serve several listeners at a time.
type Server struct {
	options     Options
	connections *gate.Connections
	memory      *gate.Memory
	handler     http.Handler
}

// New returns a Server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MayTeach == nil {
		o.MayTeach = access.Owner
	}
	o.Connections = cmp.Or(o.Connections, DefaultConnections)
	o.Message = cmp.Or(o.Message, DefaultMessage)
	s := &Server{options: o, connections: gate.NewConnections(o.Connections, o.Log), memory: gate.NewMemory(memory * o.Message)}
	s.handler = s.guard(s.routes())
	return s
}

// busy is what a connection too many is told.
const busy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: application/json\r\n" +
	"Content-Length: 40\r\n\r\n" + `{"error":"too many connections at once"}`

// peer is what is known of the other side of a connection.
type peer struct {
	uid  int  // -1 if that is not known
	unix bool // it came over a unix socket
}

type peerKey struct{}

// Serve answers the connections of l until ctx is done. Then it closes l, ends what is
// in hand, for 20 seconds at most, and returns nil. It returns an error if l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       messageTime,
		WriteTimeout:      2*messageTime + answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, peer{access.UID(c), c.LocalAddr().Network() == "unix"})
		},
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(s.connections.Listener(l, busy)) }()
	select {
	case err := <-failed:
		if ctx.Err() == nil {
			h.Close()
			return err
		}
		failed <- err // who ended ctx has closed l as well
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	if h.Shutdown(grace) != nil {
		h.Close()
	}
	<-failed
	return nil
}

// guard keeps out what a page in a browser might send here: requests of other sites, and
// requests by a name that leads to the loopback only since its owner says so.
func (s *Server) guard(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, failure{http.StatusForbidden, "a page of another site may not ask"})
	}))
	own := protection.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if p := r.Context().Value(peerKey{}).(peer); !p.unix && !s.ours(r.Host) {
			s.fail(w, r, failure{http.StatusMisdirectedRequest, "this server does not have the name of the request"})
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), messageTime+answerTime)
		defer cancel()
		own.ServeHTTP(w, r.WithContext(ctx))
	})
}

// ours reports whether a Host names this server.
func (s *Server) ours(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil || slices.Contains(s.options.Hosts, host)
}

// A failure is an error that the client is told.
type failure struct {
	code int
	text string
}

func (f failure) Error() string { return f.text }

func failureOf(err error) failure {
	var f failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, backend.ErrClass), errors.Is(err, backend.ErrUser), errors.Is(err, decisions.ErrNotFound):
		return failure{http.StatusNotFound, err.Error()}
	case errors.Is(err, decisions.ErrAmbiguous):
		return failure{http.StatusConflict, err.Error()}
	case errors.Is(err, backend.ErrSize):
		return failure{http.StatusRequestEntityTooLarge, err.Error()}
	case errors.Is(err, backend.ErrBusy):
		return failure{http.StatusServiceUnavailable, err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return failure{http.StatusGatewayTimeout, "timeout"}
	}
	return failure{http.StatusServiceUnavailable, "service unavailable"}
}

// fail answers with an error. One that is not the client's is logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := failureOf(err)
	if f.code >= 500 {
		s.options.Log.Warn("http: request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "1")
	}
	if f.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	reply(w, f.code, map[string]string{"error": f.text})
}

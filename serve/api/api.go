// Package api answers programs over HTTP: a message is the body of a request, and the
// answer is JSON. The document at /v1/openapi.json describes it. There are also /healthz,
// /readyz, /metrics in the format of Prometheus and, at /, the page of package page.
package api

import (
	"context"
	_ "embed"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
	"github.com/polya-classifier/polya/serve/page"
)

// OpenAPI describes the requests and replies, as JSON.
//
//go:embed openapi.json
var OpenAPI []byte

// Options say how a Server answers. Backend and Engine are needed. Who may teach may read the ledger.
type Options struct {
	gate.Options
	Engine    *engine.Engine
	Admin     *page.Admin                  // what the page at / shows; nil for no page
	Metrics   func(context.Context) string // what /metrics shows; nil for none
	TokenFile string                       // which has the Token, as the page tells people who are to sign in
	Hosts     []string                     // names of the server beside localhost

	// Commands serves the commands of polya alone, on a unix socket. Only root and the user that the
	// daemon runs as may ask anything there. They may borrow the file of a database. They are told errors in
	// full, may name a user by the file of his database (?file=), and may list all decisions (?limit=0).
	Commands bool
}

// Server answers requests. It may serve several listeners at a time.
type Server struct {
	*web.Server
	options Options
}

// New returns a Server.
func New(o Options) *Server {
	s := &Server{Server: web.New(o.Options), options: o}
	mux := http.NewServeMux()
	mux.Handle("/", s.Timed(s.routes()))
	if o.Commands {
		mux.HandleFunc("POST /v1/lend", s.lend)
	}
	s.Handler = s.guard(mux)
	return s
}

// guard refuses what a hostile page in a browser might send: cross-site requests, and requests for a host name
// that its owner points at the loopback (DNS rebinding). On a unix socket any single word is a host, which a
// browser that reaches it through a forwarded port does not send.
func (s *Server) guard(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, backend.Failure{Code: http.StatusForbidden, Text: "a page of another site may not ask"})
	}))
	own := protection.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if !s.ours(r.Host) && !(web.PeerOf(r).Unix && !strings.ContainsAny(r.Host, ".:")) {
			s.fail(w, r, misdirected)
			return
		}
		if s.options.Commands {
			if err := s.command(r); err != nil {
				s.fail(w, r, err)
				return
			}
		}
		own.ServeHTTP(w, r)
	})
}

// misdirected answers requests for a host name that is not ours.
var misdirected = backend.Failure{Code: http.StatusMisdirectedRequest, Text: "this server does not have the name of the request"}

// page serves the web page to requests for one of the server's own host names.
func (s *Server) page() http.Handler {
	shown := s.options.Admin.Handler(s.Server, s.options.TokenFile)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.ours(r.Host) { // a program on a unix socket, where no browser is
			s.nothing(w, r)
			return
		}
		shown.ServeHTTP(w, r)
	})
}

func (s *Server) ours(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ours := func(name string) bool { return strings.EqualFold(name, host) }
	return net.ParseIP(host) != nil || ours("localhost") || slices.ContainsFunc(s.options.Hosts, ours)
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var f backend.Failure
	switch err = engine.OfLedger(err); {
	case errors.As(err, &f) && f.Code == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case s.options.Commands && (web.FailureOf(err) == web.Unavailable || errors.Is(err, backend.ErrRefused)):
		err = backend.Failure{Code: web.FailureOf(err).Code, Text: err.Error()}
	}
	s.Fail(w, r, err)
}

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

// lend hands a file over until the caller hangs up or the server ends.
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

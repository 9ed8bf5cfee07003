package api

import (
	"io"
	"net/http"
	"strings"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// need is what a caller has to be for a request.
type need int

const (
	anyone  need = iota // also without the token
	asker               // anyone over a unix socket; over TCP with the token
	teacher             // who may teach
)

// route is one kind of request and what answers it.
type route struct {
	method, path string
	need         need
	handle       func(*Server, *http.Request) (any, error)
}

// list are the requests whose replies are JSON.
var list = []route{
	{"POST", "/v1/classify", asker, (*Server).classify},
	{"POST", "/v1/explain", asker, (*Server).explain},
	{"POST", "/v1/train", teacher, (*Server).train},
	{"POST", "/v1/relabel", teacher, (*Server).relabel},
	{"POST", "/v1/forget", teacher, (*Server).forget},
	{"POST", "/v1/teach", teacher, (*Server).teach},
	{"GET", "/v1/classes", asker, (*Server).classes},
	{"GET", "/v1/statistics", asker, (*Server).statistics},
	{"GET", "/v1/ledger", teacher, (*Server).ledger},
	{"POST", "/v1/undo", teacher, (*Server).undo},
	{"GET", "/v1/decisions", teacher, (*Server).decisions},
	{"GET", "/v1/auto", asker, (*Server).auto},
	{"POST", "/v1/auto/resume", teacher, (*Server).resumeAuto},
	{"GET", "/healthz", anyone, (*Server).health},
	{"GET", "/readyz", anyone, (*Server).ready},
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range list {
		mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, q *http.Request) {
			result, err := s.call(&r, q)
			if err != nil {
				s.fail(w, q, err)
				return
			}
			web.Reply(w, http.StatusOK, result)
		})
		mux.HandleFunc(r.path, func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Allow", r.method)
			s.fail(w, q, backend.Failure{Code: http.StatusMethodNotAllowed, Text: "the method of this path is " + r.method})
		})
	}
	mux.HandleFunc("/v1/", s.nothing)
	mux.HandleFunc("GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(OpenAPI)
	})
	if s.options.Metrics != nil {
		mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			_, _ = io.WriteString(w, s.options.Metrics(r.Context()))
		})
	}
	if s.options.Admin != nil {
		mux.Handle("/", s.page())
	} else {
		mux.HandleFunc("/", s.nothing)
	}
	return mux
}

func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, web.Nothing)
}

// call answers a request of somebody who may ask it.
func (s *Server) call(r *route, q *http.Request) (any, error) {
	c := web.PeerOf(q).Caller
	c.User, c.Token = user(q), access.Token(s.Token, strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer "))
	switch {
	case r.need == anyone:
	case !c.Unix && !c.Token:
		return nil, backend.Failure{Code: http.StatusUnauthorized, Text: "over a network the token is needed, in a line Authorization: Bearer TOKEN"}
	case r.need == teacher && !s.MayTeach(c):
		return nil, backend.Failure{Code: http.StatusForbidden, Text: backend.ErrForbidden.Error()}
	}
	return r.handle(s, q)
}

func user(r *http.Request) string { return r.URL.Query().Get("user") }

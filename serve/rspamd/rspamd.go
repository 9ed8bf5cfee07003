// Package rspamd answers like rspamd's workers over HTTP, for rspamc and other clients of
// rspamd: /checkv2, /learnspam, /learnham, /learnclass, /stat and the like.
package rspamd

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/points"
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
	// A page in a browser may not ask a server on its machine, not even by a name of its own that leads here.
	protected := http.NewCrossOriginProtection().Handler(s.Timed(s.routes()))
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = " " // which no page comes from
		protected.ServeHTTP(w, r)
	})
	return s
}

// source is the ledger's source of trainings through this listener.
const source = "rspamc"

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(*http.Request) (int, any, error){
		"POST /checkv2":    s.check,
		"POST /learnspam":  func(r *http.Request) (int, any, error) { return s.learn(r, "spam") },
		"POST /learnham":   func(r *http.Request) (int, any, error) { return s.learn(r, "ham") },
		"POST /learnclass": func(r *http.Request) (int, any, error) { return s.learn(r, r.Header.Get("Class")) },
		"GET /stat":        s.stat,
		"GET /auth":        s.auth,
		"GET /healthy":     func(*http.Request) (int, any, error) { return http.StatusOK, success, nil },
		"GET /ready":       s.ready,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			code, reply, err := handle(r)
			if err != nil {
				s.Fail(w, r, err)
				return
			}
			web.Reply(w, code, reply)
		})
	}
	mux.HandleFunc("GET /ping", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("pong\r\n"))
	})
	return mux
}

// success is the reply to what was done.
var success = map[string]bool{"success": true}

// unauthorized is the failure that rspamc expects.
var unauthorized = backend.Failure{Code: http.StatusUnauthorized, Text: "Unauthorized"}

func recipient(r *http.Request) string {
	return points.Recipient(r.Header.Get("Deliver-To"), r.Header.Values("Rcpt"), r.Header.Get("User"))
}

func (s *Server) check(r *http.Request) (int, any, error) {
	start := time.Now()
	message, free, err := s.Message(r)
	defer free()
	if err != nil {
		return 0, nil, err
	}
	user := recipient(r)
	a, err := s.Backend.Classify(r.Context(), backend.Request{User: user, Message: message, Source: source}, false)
	if err != nil {
		return 0, nil, err
	}
	took := time.Since(start)
	s.scanned.Add(1)
	if a.Spam {
		s.spam.Add(1)
	}
	s.Log.Info("rspamd: classified", "user", user, "bytes", len(message), "class", a.Class,
		"unsure", a.Unsure, "probability", a.Probability, "took", took)
	return http.StatusOK, resultOf(a, took), nil
}

func (s *Server) learn(r *http.Request, class string) (int, any, error) {
	user := recipient(r)
	switch {
	case !s.MayTeach(s.caller(r)):
		return 0, nil, unauthorized
	case class == "":
		return 0, nil, backend.ErrClass
	}
	message, free, err := s.Message(r)
	defer free()
	if err != nil {
		return 0, nil, err
	}
	outcome, err := s.Backend.Learn(r.Context(), backend.Request{User: user, Message: message, Source: source}, class)
	if err != nil {
		return 0, nil, err
	}
	s.Log.Info("rspamd: learned", "user", user, "bytes", len(message), "class", class, "changed", outcome != backend.Unchanged)
	if outcome == backend.Unchanged {
		return http.StatusAlreadyReported, map[string]string{"error": "already learned as " + class}, nil
	}
	s.learned.Add(1)
	return http.StatusOK, success, nil
}

func (s *Server) caller(r *http.Request) access.Caller {
	c := web.PeerOf(r).Caller
	c.User, c.Token = recipient(r), access.Token(s.Token, r.Header.Get("Password"))
	return c
}

func (s *Server) auth(r *http.Request) (int, any, error) {
	if !s.MayTeach(s.caller(r)) {
		return 0, nil, unauthorized
	}
	return http.StatusOK, map[string]any{"auth": "ok", "version": s.Version, "uptime": s.uptime()}, nil
}

func (s *Server) ready(r *http.Request) (int, any, error) {
	_, err := s.Backend.Classes(r.Context(), "")
	return http.StatusOK, success, err
}

func (s *Server) uptime() int { return int(time.Since(s.start) / time.Second) }

func (s *Server) stat(*http.Request) (int, any, error) {
	scanned, spam, learned := s.scanned.Load(), s.spam.Load(), s.learned.Load()
	return http.StatusOK, map[string]any{
		"version": s.Version, "uptime": s.uptime(), "read_only": false,
		"scanned": scanned, "learned": learned, "total_learns": learned,
		"spam_count": spam, "ham_count": scanned - spam,
		"actions":   map[string]int64{"add header": spam, "no action": scanned - spam},
		"statfiles": []any{},
	}, nil
}

func resultOf(a backend.Answer, took time.Duration) map[string]any {
	score, threshold := points.Scores(a)
	name, action := points.Symbol(a), "no action"
	add := map[string]any{backend.ResultField: map[string]any{"value": a.Field(), "order": 0}}
	if a.Spam {
		action = "add header"
		add["X-Spam"] = map[string]any{"value": "Yes", "order": 0}
	}
	return map[string]any{
		"is_skipped": false, "score": score, "required_score": threshold, "action": action, "messages": map[string]any{}, "message-id": "undef",
		"symbols":   map[string]any{name: map[string]any{"name": name, "score": score, "metric_score": score, "options": []string{a.Field()}}},
		"time_real": took.Seconds(),
		// The changes to the header that the client of a mail server is to make; 0 removes all fields of that name.
		"milter": map[string]any{"add_headers": add, "remove_headers": map[string]int{backend.ResultField: 0, "X-Spam": 0}},
	}
}

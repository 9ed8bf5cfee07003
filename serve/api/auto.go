package api

import (
	"net/http"

	"github.com/polya-classifier/polya/serve/internal/web"
)

func (s *Server) auto(*http.Request) (any, error) { return s.options.Engine.AutoState(), nil }

// forgetAuto takes back what was learned automatically, since a moment or all, in one
// database or in all of them. The latter is for who may teach the shared one: a user who
// teaches his own has to name himself.
func (s *Server) forgetAuto(r *http.Request) (any, error) {
	since, err := since(r)
	if err != nil {
		return nil, err
	}
	n := 0
	switch all := r.URL.Query().Has("all"); {
	case all && user(r) != "":
		return nil, web.Failure{Code: http.StatusBadRequest, Text: "all and a user are named: want one of them"}
	case all:
		n, err = s.options.Engine.TakeBackAll(r.Context(), since)
	default:
		n, err = s.options.Engine.TakeBack(r.Context(), user(r), since)
	}
	return map[string]int{"forgotten": n}, err
}

// resumeAuto is for who may teach the shared database: a user who may teach his own names
// himself, and changes nothing for others.
func (s *Server) resumeAuto(r *http.Request) (any, error) {
	if user(r) != "" {
		return nil, web.Failure{Code: http.StatusBadRequest, Text: "a user is named: automatic learning goes on for all"}
	}
	if !s.options.Engine.AutoState().On {
		return nil, web.Failure{Code: http.StatusConflict, Text: "there is no automatic learning"}
	}
	return map[string]string{"status": "resumed"}, s.options.Engine.ResumeAuto(r.Context())
}

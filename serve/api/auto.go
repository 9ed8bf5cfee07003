package api

import (
	"net/http"

	"github.com/polya-classifier/polya/serve/internal/web"
)

func (s *Server) auto(*http.Request) (any, error) { return s.options.Engine.AutoState(), nil }

// resumeAuto is for callers who may teach the shared database. A caller who may teach only his
// own database names a user, and must not change anything for others.
func (s *Server) resumeAuto(r *http.Request) (any, error) {
	if user(r) != "" {
		return nil, web.Failure{Code: http.StatusBadRequest, Text: "a user is named: automatic learning goes on for all"}
	}
	if !s.options.Engine.AutoState().On {
		return nil, web.Failure{Code: http.StatusConflict, Text: "there is no automatic learning"}
	}
	return map[string]string{"status": "resumed"}, s.options.Engine.ResumeAuto(r.Context())
}

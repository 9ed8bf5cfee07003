package api

import (
	"net/http"

	"github.com/polya-classifier/polya/serve/internal/web"
)

// autoState is how automatic learning is doing.
type autoState struct {
	On             bool    `json:"on"`
	Stopped        string  `json:"stopped"`
	Learned        int     `json:"learned"`
	Wrong          int     `json:"wrong"`
	Answers        int     `json:"answers"`
	Unsure         float64 `json:"unsure"`
	Distance       float64 `json:"distance"`
	Corrections    int     `json:"corrections"`
	CorrectionLoss float64 `json:"correctionLoss"`
}

func (s *Server) auto(*http.Request) (any, error) {
	a := s.options.Engine.AutoState()
	return autoState{a.On, a.Stopped, a.Learned, a.Wrong, a.Answers, a.Unsure, a.Distance, a.Corrections, a.CorrectionLoss}, nil
}

// forgetAuto takes back what was learned automatically, since a moment or all.
func (s *Server) forgetAuto(r *http.Request) (any, error) {
	since, err := since(r)
	if err != nil {
		return nil, err
	}
	n, err := s.options.Engine.TakeBack(r.Context(), user(r), since)
	return map[string]int{"forgotten": n}, err
}

func (s *Server) resumeAuto(r *http.Request) (any, error) {
	if !s.options.Engine.AutoState().On {
		return nil, web.Failure{Code: http.StatusConflict, Text: "there is no automatic learning"}
	}
	return map[string]string{"status": "resumed"}, s.options.Engine.ResumeAuto(r.Context())
}

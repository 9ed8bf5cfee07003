package api

import (
	"net/http"
	"strconv"

	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// maxRows bounds the rows of a reply: they are held in memory.
const maxRows = 10000

// limit is how many rows a request wants. Commands may want all.
func (s *Server) limit(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	switch {
	case text == "":
		return 100, nil
	case text == "0" && s.options.Commands != nil:
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxRows {
		return 0, web.Failure{Code: http.StatusBadRequest, Text: "limit is none: want 1 to " + strconv.Itoa(maxRows)}
	}
	return n, nil
}

func (s *Server) decisions(r *http.Request) (any, error) {
	n, err := s.limit(r)
	if err != nil {
		return nil, err
	}
	e, reply := s.options.Engine, client.Decisions{Decisions: []backend.Decision{}}
	if reply.Kept = e.Keeps(); !reply.Kept {
		return reply, nil
	}
	list, err := e.Decisions(user(r), n)
	reply.Decisions = append(reply.Decisions, list...)
	return reply, err
}

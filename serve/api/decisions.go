package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

const (
	maxRows   = 10000 // of a reply: they are held in memory
	minDigits = 8     // of an id, as people see it
)

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

// decisions lists the last answers. To count the digits it reads all.
func (s *Server) decisions(r *http.Request) (any, error) {
	n, err := s.limit(r)
	if err != nil {
		return nil, err
	}
	e, reply := s.options.Engine, client.Decisions{Decisions: []backend.Decision{}}
	if reply.Kept = e.Keeps(); !reply.Kept {
		return reply, nil
	}
	if r.URL.Query().Has("digits") {
		all, err := e.Decisions("", 0)
		if err != nil {
			return nil, err
		}
		reply.Digits = digits(all)
	}
	list, err := e.Decisions(user(r), n)
	reply.Decisions = append(reply.Decisions, list...)
	return reply, err
}

// digits returns the number of leading digits that distinguish every id from all others.
func digits(kept []backend.Decision) int {
	ids := make([]string, len(kept))
	for i, d := range kept {
		ids[i] = d.ID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	n := minDigits
	for i := 1; i < len(ids); i++ {
		for n <= len(ids[i]) && strings.HasPrefix(ids[i-1], ids[i][:n]) {
			n++
		}
	}
	return n
}

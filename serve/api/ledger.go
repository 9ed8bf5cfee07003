package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// errEnough ends a walk over the ledger.
var errEnough = errors.New("enough entries")

// ledger lists learned documents by their ids: at most limit that a filter selects, after an id.
func (s *Server) ledger(r *http.Request) (any, error) {
	n, err := s.limit(r)
	if err != nil {
		return nil, err
	}
	f, err := filter(r)
	if err != nil {
		return nil, err
	}
	after := r.URL.Query().Get("after")
	all := []backend.Entry{}
	err = s.options.Engine.Read(r.Context(), user(r), func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			return s.Entries(func(e *store.Entry) error {
				if !f.Selects(e) || e.ID.String() <= after {
					return r.Context().Err()
				}
				one := backend.Entry{ID: e.ID.String(), Time: e.Time.UTC(), Source: e.Source}
				one.Class, one.Tags = named(e.Class)
				all = append(all, one)
				if len(all) == n {
					return errEnough
				}
				return nil
			})
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return map[string][]backend.Entry{"ledger": all}, err
}

// undo takes back the documents that a filter selects, or says how many they are, in one database or, for
// callers who may teach the shared one, in all.
func (s *Server) undo(r *http.Request) (any, error) {
	f, err := filter(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	switch all := q.Has("all"); {
	case f == (classify.Query{}):
		return nil, backend.Failure{Code: http.StatusBadRequest, Text: "nothing says what to take back: name a source, a class or a moment"}
	case all && user(r) != "":
		return nil, backend.Failure{Code: http.StatusBadRequest, Text: "all and a user are named: want one of them"}
	case all:
		return s.options.Engine.UndoAll(r.Context(), f, q.Has("dry"))
	}
	return s.options.Engine.Undo(r.Context(), user(r), f, q.Has("dry"))
}

func filter(r *http.Request) (f classify.Query, err error) {
	q := r.URL.Query()
	if f.Class = q.Get("class"); q.Has("source") {
		f.Source = new(q.Get("source"))
	}
	if f.Since, err = moment("since", q.Get("since")); err == nil {
		f.Before, err = moment("before", q.Get("before"))
	}
	return f, err
}

// moment reads the moment that a parameter names, the zero time if it is empty.
func moment(name, text string) (t time.Time, err error) {
	if text == "" {
		return t, nil
	}
	if t, err = time.Parse(time.RFC3339, text); err != nil {
		err = backend.Failure{Code: http.StatusBadRequest, Text: name + " is no moment: want one as 2026-01-31T12:00:00Z"}
	}
	return t, err
}

// maxRows bounds the rows of a reply: they are held in memory.
const maxRows = 10000

// limit is how many rows a request wants. Commands may want all.
func (s *Server) limit(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	switch {
	case text == "":
		return 100, nil
	case text == "0" && s.options.Commands:
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxRows {
		return 0, backend.Failure{Code: http.StatusBadRequest, Text: "limit is none: want 1 to " + strconv.Itoa(maxRows)}
	}
	return n, nil
}

func (s *Server) decisions(r *http.Request) (any, error) {
	n, err := s.limit(r)
	if err != nil {
		return nil, err
	}
	e, reply := s.options.Engine, client.Decisions{Decisions: []backend.Decision{}}
	if reply.Kept = e.Keeps(); reply.Kept {
		reply.Decisions = append(reply.Decisions, e.Decisions(user(r), n)...)
	}
	return reply, nil
}

package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/internal/web"
	"github.com/polya-classifier/polya/store"
)

// entry is what the ledger says of a document.
type entry struct {
	ID     string    `json:"id"`
	Class  string    `json:"class"`
	Time   time.Time `json:"time"`
	Source string    `json:"source"`
}

// errEnough ends a walk over the ledger.
var errEnough = errors.New("enough entries")

// ledger lists documents that were learned, in the order of their ids: of a class, by a source,
// since a moment, after an id, at most so many.
func (s *Server) ledger(r *http.Request) (any, error) {
	n, err := limit(r)
	if err != nil {
		return nil, err
	}
	since, err := since(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	want := func(e *store.Entry) bool {
		return (!q.Has("class") || e.Class == q.Get("class")) && (!q.Has("source") || e.Source == q.Get("source")) && !e.Time.Before(since) &&
			e.ID.String() > q.Get("after")
	}
	all := []entry{}
	err = s.options.Engine.Use(r.Context(), user(r), func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			return s.Entries(func(e *store.Entry) error {
				if !want(e) {
					return r.Context().Err()
				}
				all = append(all, entry{e.ID.String(), e.Class, e.Time.UTC(), e.Source})
				if len(all) == n {
					return errEnough
				}
				return nil
			})
		})
	})
	if errors.Is(err, errEnough) || errors.Is(err, store.ErrNotExist) {
		err = nil
	}
	return map[string][]entry{"ledger": all}, err
}

// since is the moment that a request names, the zero time if it names none.
func since(r *http.Request) (t time.Time, err error) {
	text := r.URL.Query().Get("since")
	if text == "" {
		return t, nil
	}
	if t, err = time.Parse(time.RFC3339, text); err != nil {
		err = web.Failure{Code: http.StatusBadRequest, Text: "since is no moment: want one as 2026-01-31T12:00:00Z"}
	}
	return t, err
}

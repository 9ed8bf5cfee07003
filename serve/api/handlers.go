package api

import (
	"bytes"
	"context"
	"net/http"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// source is the ledger's source of trainings that come over this API.
func source(r *http.Request) string {
	if q := r.URL.Query(); q.Has("source") {
		return q.Get("source")
	}
	return "http"
}

// message calls f about the message that is the body of a request.
func (s *Server) message(r *http.Request, f func(context.Context, backend.Request) (any, error)) (any, error) {
	m, free, err := s.Message(r)
	defer free()
	if err != nil {
		return nil, err
	}
	return f(r.Context(), backend.Request{User: user(r), Message: m, Cut: r.URL.Query().Has("cut"), Source: source(r)})
}

func (s *Server) classify(r *http.Request) (any, error) { return s.ask(r, false) }
func (s *Server) explain(r *http.Request) (any, error)  { return s.ask(r, true) }

func (s *Server) ask(r *http.Request, explain bool) (any, error) {
	return s.message(r, func(ctx context.Context, q backend.Request) (any, error) { return s.Backend.Classify(ctx, q, explain) })
}

func outcome(o backend.Outcome, err error) (any, error) { return client.Trained{Outcome: o}, err }

// class is the class that a request names, and may make: a mistyped name is no new class.
func (s *Server) class(r *http.Request) (name string, err error) {
	if name = r.URL.Query().Get("class"); name == "" {
		return "", backend.Failure{Code: http.StatusBadRequest, Text: "class is missing: name one as ?class=spam"}
	}
	if r.URL.Query().Has("new") {
		err = s.options.Engine.Make(r.Context(), user(r), name, false)
	}
	return name, err
}

func (s *Server) train(r *http.Request) (any, error) {
	to, err := s.class(r)
	if err != nil {
		return nil, err
	}
	return s.message(r, func(ctx context.Context, q backend.Request) (any, error) {
		if len(bytes.TrimSpace(q.Message)) == 0 {
			return nil, backend.Failure{Code: http.StatusBadRequest, Text: "the message is empty, and nothing to learn from"}
		}
		return outcome(s.Backend.Learn(ctx, q, to))
	})
}

func (s *Server) teach(r *http.Request) (any, error) {
	to, err := s.class(r)
	if err != nil {
		return nil, err
	}
	id := r.URL.Query().Get("id")
	if id == "" {
		return nil, backend.Failure{Code: http.StatusBadRequest, Text: "id is missing: name a decision"}
	}
	if !s.options.Engine.Keeps() {
		return nil, backend.Failure{Code: http.StatusConflict, Text: client.ErrNotKept.Error()}
	}
	if id, err = s.options.Engine.Find(user(r), id); err != nil {
		return nil, err
	}
	out, err := s.options.Engine.Revise(r.Context(), user(r), []backend.Revision{{ID: id, Class: to}}, source(r))
	if err != nil {
		return nil, err
	}
	done := client.Trained{Outcome: out[0].Outcome}
	done.From, done.FromTags = named(out[0].From)
	return done, nil
}

func (s *Server) relabel(r *http.Request) (any, error) {
	to, err := s.class(r)
	if err != nil {
		return nil, err
	}
	return outcome(s.options.Engine.Relabel(r.Context(), user(r), r.URL.Query().Get("id"), to, source(r)))
}

func (s *Server) forget(r *http.Request) (any, error) {
	if p := r.URL.Query(); p.Has("id") {
		return outcome(s.options.Engine.Relabel(r.Context(), user(r), p.Get("id"), "", ""))
	}
	return s.message(r, func(ctx context.Context, q backend.Request) (any, error) { return outcome(s.Backend.Learn(ctx, q, "")) })
}

func (s *Server) classes(r *http.Request) (any, error) {
	names, err := s.Backend.Classes(r.Context(), user(r))
	return map[string][]string{"classes": names}, err
}

// statistics describe a database. A database that does not exist yet counts as empty.
type statistics struct {
	Version     string       `json:"version"`
	Documents   uint64       `json:"documents"`
	Vocabulary  uint64       `json:"vocabulary"`
	Bytes       int64        `json:"bytes"`
	Analyzer    string       `json:"analyzer"`
	Ledger      string       `json:"ledger"`
	Classes     []classSize  `json:"classes"`
	Calibration *calibration `json:"calibration"`
}

// classSize is of a class or, in a database of tags, of the documents with exactly these tags.
type classSize struct {
	Class     string   `json:"class,omitempty"`
	Tags      []string `json:"tags,omitzero"`
	Documents uint64   `json:"documents"`
	Terms     uint64   `json:"terms"`
}

// named returns the class or, where the name is that of a set of tags, these.
func named(name string) (class string, tags []string) {
	if tags = count.Tags(name); tags != nil {
		return "", tags
	}
	return name, nil
}

type calibration struct {
	Model     string  `json:"model"`
	Documents uint64  `json:"documents"`
	Sample    int     `json:"sample"`
	LogLoss   float64 `json:"logLoss"`
}

func (s *Server) statistics(r *http.Request) (any, error) {
	v := statistics{Version: s.Version, Classes: []classSize{}}
	err := s.options.Engine.Read(r.Context(), user(r), func(c *classify.Classifier) (err error) {
		if v.Bytes, err = c.Store().Size(); err != nil {
			return err
		}
		v.Analyzer, v.Ledger = c.Store().Analyzer(), c.Store().Ledger().String()
		err = c.Store().View(func(s *store.Snapshot) error {
			v.Documents, v.Vocabulary = s.Documents(), s.Vocabulary()
			for _, k := range s.Classes() {
				size := classSize{Documents: k.Docs, Terms: k.Terms}
				size.Class, size.Tags = named(k.Name)
				v.Classes = append(v.Classes, size)
			}
			return nil
		})
		if err != nil {
			return err
		}
		k, err := c.Calibration()
		if err != nil || k == nil {
			return err
		}
		if m := k.Model(k.Chosen); m != nil {
			v.Calibration = &calibration{k.Chosen, k.Documents, k.Sample, m.Loss}
		}
		return nil
	})
	return v, err
}

func (s *Server) health(*http.Request) (any, error) {
	return map[string]string{"status": "running"}, nil
}

func (s *Server) ready(r *http.Request) (any, error) {
	return map[string]string{"status": "ready"}, s.options.Engine.Ready(r.Context())
}

func (s *Server) auto(*http.Request) (any, error) { return s.options.Engine.AutoState(), nil }

// resumeAuto is for callers who may teach the shared database. A caller who may teach only his
// own database names a user, and must not change anything for others.
func (s *Server) resumeAuto(r *http.Request) (any, error) {
	if user(r) != "" {
		return nil, backend.Failure{Code: http.StatusBadRequest, Text: "a user is named: automatic learning goes on for all"}
	}
	if !s.options.Engine.AutoState().On {
		return nil, backend.Failure{Code: http.StatusConflict, Text: "there is no automatic learning"}
	}
	return map[string]string{"status": "resumed"}, s.options.Engine.ResumeAuto(r.Context())
}

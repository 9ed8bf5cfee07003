package evaluation

import (
	"errors"

	"github.com/polya-classifier/polya/classify"
)

// stream asks about documents and learns them, one after the other.
type stream struct {
	*experiment
	db *database
}

// step asks about document i and learns it. It says whether there was an answer:
// before anything is learned there is none. To learn a copy of a document that was
// learned changes nothing, or, if that was of another class, moves it.
func (s *stream) step(i int) (answered bool, err error) {
	doc := s.corpus.document(&s.db.bag, i)
	results, err := s.db.ClassifyEach(s.ctx, doc, s.o.Models)
	switch {
	case errors.Is(err, classify.ErrNoDocuments):
		s.report.Skipped++
	case err != nil:
		return false, err
	default:
		answered = true
		for m := range results {
			if err := s.answers[m].add(s.corpus, i, &results[m]); err != nil {
				return false, err
			}
		}
	}
	if _, err := s.db.Train(s.ctx, s.corpus.Classes[s.corpus.Docs[i].Class], doc); err != nil {
		return false, err
	}
	return answered, s.db.calibrate(s.ctx)
}

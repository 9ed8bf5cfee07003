package engine

import (
	"context"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// autoCounts are the documents of a database that were learned automatically. The
// goroutine that learns has them.
type autoCounts struct {
	auto map[string]int // by class
	all  int
}

// count counts them.
func countAuto(s *store.Snapshot) (*autoCounts, error) {
	n := &autoCounts{auto: make(map[string]int)}
	err := s.Entries(func(e *store.Entry) error {
		if e.Source == AutoSource {
			n.add(e.Class, 1)
		}
		return nil
	})
	return n, err
}

func (n *autoCounts) add(class string, by int) {
	n.auto[class] += by
	n.all += by
}

// may reports whether one more document of the class may be learned automatically.
func (n *autoCounts) may(o *Auto, classes []*count.Class, class string) bool {
	all, of, taught := 0., 0., 0
	for _, c := range classes {
		people := max(0, float64(c.Docs)-float64(n.auto[c.Name]))
		all += people
		if people >= float64(o.People) {
			taught++
		}
		if c.Name == class {
			of = people
		}
	}
	if taught < 2 || of < float64(o.People) {
		return false
	}
	return float64(n.auto[class]+1) <= of/all*float64(n.all+1)+float64(o.Slack)
}

// TakeBack forgets what was learned automatically at or after a moment, all of it if that
// is the zero time, in the database of a user or, if user is "", in the shared one. It
// returns the number of documents. What somebody has confirmed or corrected since is
// theirs and stays.
func (e *Engine) TakeBack(ctx context.Context, user string, since time.Time) (int, error) {
	var ids []count.DocID
	err := e.Use(ctx, user, func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			return s.Entries(func(entry *store.Entry) error {
				// The ledger has seconds.
				if entry.Source == AutoSource && !entry.Time.Before(since.Truncate(time.Second)) {
					ids = append(ids, entry.ID)
				}
				return nil
			})
		})
	})
	if err != nil {
		return 0, err
	}
	d, err := e.of(ctx, user)
	if err != nil {
		return 0, err
	}
	defer d.release()
	forgotten := 0
	for len(ids) > 0 {
		// A batch at a time, so that others are learned between.
		batch := make([]*training, 0, maxBatch)
		for _, id := range ids[:min(len(ids), maxBatch)] {
			batch = append(batch, &training{doc: classify.Document{ID: id}, byID: true})
		}
		ids = ids[len(batch):]
		for _, t := range batch {
			if err := e.submit(d, t); err != nil {
				return forgotten, err
			}
		}
		for _, t := range batch {
			out, err := t.wait(ctx)
			if err != nil {
				return forgotten, err
			}
			if out == backend.Forgotten {
				forgotten++
			}
		}
	}
	return forgotten, nil
}

package learn

import (
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Auto says which of its own answers an engine learns (self-training). It helps with few
// classes and mail that changes with time, and does harm with many classes.
type Auto struct {
	// Error is the largest expected error of an answer that is learned: its calibrated
	// probability is at least 1-Error. 0 is .01.
	Error float64 `toml:"error"`

	// People is the number of documents of a class that people must have taught before one
	// is learned automatically; 0 is 50. At least two classes must have that many.
	People int `toml:"people"`

	// Slack is the number of automatically learned documents by which a class may exceed its
	// share of the documents that people taught; 0 is 50.
	Slack int `toml:"slack"`
}

// autoCounts counts the automatically learned documents of a database, for the goroutine that learns.
type autoCounts struct {
	auto map[string]int // by class
	all  int

	at   time.Time // when it was counted
	took time.Duration
}

// stale reports whether it is time to count again, a tenth of the time at most, where others learn too.
func (n *autoCounts) stale() bool { return n != nil && time.Since(n.at) > 10*n.took }

func countAuto(s *store.Snapshot) (*autoCounts, error) {
	n := &autoCounts{auto: make(map[string]int), at: time.Now()}
	err := s.Entries(func(e *store.Entry) error {
		if e.Source == backend.AutoSource {
			n.add(e.Class, 1)
		}
		return nil
	})
	n.took = time.Since(n.at)
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

package engine

import (
	"cmp"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
)

// answers keeps the last answers by message, to compare them with what is taught.
type answers struct {
	mu   sync.Mutex
	of   map[count.DocID]given
	ring []count.DocID
	at   int
}

// answersKept is the number of answers kept.
const answersKept = 10_000

// given is one answer.
type given struct {
	class    string
	probable []classify.ClassProbability // the most probable classes, some of them
}

func (g *given) of(class string) float64 {
	for _, p := range g.probable {
		if p.Class == class {
			return p.Probability
		}
	}
	return 0
}

func (l *answers) put(a *reply) {
	probable := slices.Clone(a.posterior)
	slices.SortFunc(probable, func(a, b classify.ClassProbability) int { return cmp.Compare(b.Probability, a.Probability) })
	g := given{a.Class, slices.Clip(probable[:min(len(probable), 4)])}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = make(map[count.DocID]given)
	}
	if _, known := l.of[a.doc.ID]; !known {
		if len(l.ring) < answersKept {
			l.ring = append(l.ring, a.doc.ID)
		} else {
			delete(l.of, l.ring[l.at])
			l.ring[l.at] = a.doc.ID
			l.at = (l.at + 1) % answersKept
		}
	}
	l.of[a.doc.ID] = g
}

// take removes and returns the answer about a message.
func (l *answers) take(id count.DocID) (given, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g, found := l.of[id]
	if found && g.class != "" {
		l.of[id] = given{}
	}
	return g, found && g.class != ""
}

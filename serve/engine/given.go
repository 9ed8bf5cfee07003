package engine

import (
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine/answer"
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

func (l *answers) put(a *answer.Reply) {
	probable := a.Probable()
	g := given{a.Class, slices.Clip(probable[:min(len(probable), 4)])}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = make(map[count.DocID]given)
	}
	if _, known := l.of[a.Doc.ID]; !known {
		if len(l.ring) < answersKept {
			l.ring = append(l.ring, a.Doc.ID)
		} else {
			delete(l.of, l.ring[l.at])
			l.ring[l.at] = a.Doc.ID
			l.at = (l.at + 1) % answersKept
		}
	}
	l.of[a.Doc.ID] = g
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

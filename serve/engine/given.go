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
	mu    sync.Mutex
	of    map[count.DocID]given
	order []count.DocID // in which they came
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
		l.order = append(l.order, a.Doc.ID)
	}
	if l.of[a.Doc.ID] = g; len(l.order) > answersKept {
		delete(l.of, l.order[0])
		l.order = l.order[1:]
	}
}

// take removes and returns the answer about a message.
func (l *answers) take(id count.DocID) (g given, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g, found = l.of[id]
	delete(l.of, id)
	return g, found
}

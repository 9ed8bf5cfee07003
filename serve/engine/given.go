package engine

import (
	"sync"

	"github.com/polya-classifier/polya/store/count"
)

// answers keeps the last answers by message, to compare them with what is taught.
type answers struct {
	mu    sync.Mutex
	of    map[count.DocID]string // class
	order []count.DocID          // in which they came
}

// answersKept is the number of answers kept.
const answersKept = 10_000

func (l *answers) put(id count.DocID, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = make(map[count.DocID]string)
	}
	if _, known := l.of[id]; !known {
		l.order = append(l.order, id)
	}
	if l.of[id] = class; len(l.order) > answersKept {
		delete(l.of, l.order[0])
		l.order = l.order[1:]
	}
}

func (l *answers) take(id count.DocID) (class string, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	class, found = l.of[id]
	delete(l.of, id)
	return class, found
}

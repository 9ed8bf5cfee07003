package learning

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// moveGuard refuses trainings that move many documents of one class to others: a whole
// folder is more often trained as the wrong class by mistake than moved on purpose.
type moveGuard struct {
	docs  map[string]uint64 // by class, before the training
	moves map[string]uint64 // by class: documents that the training has moved away, or would
	given bool              // documents come with their classes
}

// check looks at the documents of a batch, which are about to be learned. Documents may
// leave a class that this training has made: a copy of them came with another class.
func (g *moveGuard) check(db *store.DB, batch map[count.DocID]placed) error {
	if g == nil || len(g.docs) == 0 {
		return nil
	}
	return db.View(func(s *store.Snapshot) error {
		for id, d := range batch {
			e, err := s.Entry(id)
			if err != nil {
				return err
			}
			if _, known := g.docs[d.class]; e != nil && e.Class != d.class && !(g.given && known) {
				g.moves[e.Class]++
			}
		}
		for _, class := range slices.Sorted(maps.Keys(g.moves)) {
			if n, all := g.moves[class], g.docs[class]; all > 0 && n > movedAlways && n*maxMoved > all {
				return fmt.Errorf("%s: at least %s of the %s documents of class %q would move to others; --move insists, 'polya relabel' moves single ones",
					db.Path(), terminal.Grouped(n), terminal.Grouped(all), class)
			}
		}
		return nil
	})
}

// One document in maxMoved of a class may be moved, and movedAlways documents always may:
// somebody corrects one answer.
const (
	maxMoved    = 10
	movedAlways = 1
)

// newMoveGuard returns the guard of a training before it begins. Documents that come with
// their classes, as in folders, may move between existing classes, since somebody has
// refiled them, but not all to new classes.
func newMoveGuard(db *classify.Classifier, given bool) *moveGuard {
	g := &moveGuard{docs: map[string]uint64{}, moves: map[string]uint64{}, given: given}
	classes, _ := db.Classes()
	for _, c := range classes { // including classes without documents
		g.docs[c.Name] = c.Docs
	}
	return g
}

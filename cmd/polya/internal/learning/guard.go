package learning

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// moveGuard refuses to move many documents of one class to others by training: whole
// folders are more often trained as the wrong class than meant to change theirs.
type moveGuard struct {
	docs  map[string]uint64 // of the classes, before the training
	moves map[string]uint64 // documents that it has moved from them, or would
	given bool              // documents come with their classes
}

// check looks at the documents of a batch, which are about to be learned. Of a class
// that this training has made documents may move: a copy of them came with another.
func (g *moveGuard) check(db *store.DB, batch map[count.DocID]placed) error {
	if g == nil || len(g.docs) == 0 {
		return nil
	}
	return db.View(func(s *store.Snapshot) error {
		to := map[string]string{} // the class that documents of a class move to, if it is one
		for id, d := range batch {
			e, err := s.Entry(id)
			if err != nil {
				return err
			}
			if e == nil || !g.counts(e.Class, d.class) {
				continue
			}
			g.moves[e.Class]++
			class := fmt.Sprintf("%q", d.class)
			if first, ok := to[e.Class]; ok && first != class {
				class = "others"
			}
			to[e.Class] = class
		}
		for _, class := range slices.Sorted(maps.Keys(to)) {
			n, all := g.moves[class], g.docs[class]
			if n > movedAlways && n*maxMoved > all {
				return fmt.Errorf("%s: at least %s of the %s documents of class %q would move to %s; --move insists, 'polya relabel' moves single ones",
					db.Path(), terminal.Grouped(n), terminal.Grouped(all), class, to[class])
			}
		}
		return nil
	})
}

// counts reports whether moving a document from one class to another is what is guarded.
func (g *moveGuard) counts(from, to string) bool {
	_, known := g.docs[to]
	return from != to && g.docs[from] > 0 && !(g.given && known)
}

// maxMoved is the share of a class, one in so many, that may be moved, and movedAlways
// is how many documents of it always may: somebody corrects one answer.
const (
	maxMoved    = 10
	movedAlways = 1
)

// newMoveGuard returns the guard of a training before it begins. Where documents come
// with their classes, as those of folders do, they may move between the classes that
// there are, since somebody has filed them anew, but not all to new ones.
func newMoveGuard(db *store.DB, given bool) *moveGuard {
	g := &moveGuard{docs: map[string]uint64{}, moves: map[string]uint64{}, given: given}
	_ = db.View(func(s *store.Snapshot) error {
		for _, c := range s.Classes() { // those that have lost their documents too
			g.docs[c.Name] = c.Docs
		}
		return nil
	})
	return g
}

package store

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// sim is what a database must be after any sequence of requests, by the rules
// of the package's documentation and by none of its code.
type sim struct {
	model
	analyzer string
	mode     count.Ledger
	keep     map[count.DocID]count.Ledger   // of each of model.docs
	whole    map[count.DocID]count.Document // as it was learned, of each that is kept as a digest
	pruned   bool
	position uint64
	state    map[string]string
}

func newSim(mode count.Ledger) *sim {
	return &sim{model: model{docs: map[count.DocID]count.Document{}}, analyzer: "a", mode: mode, keep: map[count.DocID]count.Ledger{}, whole: map[count.DocID]count.Document{}, state: map[string]string{}}
}

// text is a known document as it may be given again.
func (s *sim) text(id count.DocID) count.Document {
	d := s.docs[id]
	if s.keep[id] == count.LedgerDigest {
		d.Terms, d.Dropped = s.whole[id].Terms, s.whole[id].Dropped
	}
	return d
}

func (s *sim) clone() *sim {
	c := *s
	c.docs, c.keep, c.untracked, c.state = maps.Clone(s.docs), maps.Clone(s.keep), slices.Clone(s.untracked), maps.Clone(s.state)
	c.whole = maps.Clone(s.whole)
	return &c
}

// simOp is one step of a Delta.
type simOp struct {
	kind string // add take move forget relabel
	doc  count.Document
}

func (o simOp) String() string {
	return fmt.Sprintf("%s %.16s→%q(%d terms)", o.kind, o.doc.ID[8:], o.doc.Class, len(o.doc.Terms))
}

func (o simOp) addTo(d *Delta) error {
	doc := o.doc
	doc.Terms = slices.Clone(doc.Terms)
	switch o.kind {
	case "add":
		return d.Add(doc)
	case "new":
		return onlyNew(d, doc)
	case "take":
		return d.Take(doc)
	case "move":
		return d.Move(doc)
	case "forget":
		d.Forget(doc.ID)
		return nil
	}
	return d.Relabel(doc.ID, doc.Class)
}

// apply carries out ops, or returns the error that the first impossible one has
// and leaves a half-changed sim.
func (s *sim) apply(ops []simOp, keep count.Ledger) (a Applied, err error) {
	keep = cmp.Or(keep, s.mode)
	for _, o := range ops {
		id := o.doc.ID
		old, known := s.docs[id]
		if o.kind == "add" && keep == count.LedgerNone {
			known = false
		}
		given := o.doc
		noCounts := known && s.keep[id] == count.LedgerDigest && (o.kind == "forget" || o.kind == "relabel" || !sameTerms(given, s.text(id)))
		switch o.kind {
		case "take", "forget":
			switch {
			case known && o.kind == "take" && given.Class != "" && given.Class != old.Class:
				return a, count.ErrNotLearned
			case noCounts:
				return a, ErrNoCounts
			case known:
				delete(s.docs, id)
				delete(s.keep, id)
			default:
				i := slices.IndexFunc(s.untracked, func(d count.Document) bool { return d.Class == given.Class && sameTerms(d, given) })
				if i < 0 || o.kind == "forget" {
					return a, count.ErrNotLearned
				}
				s.untracked = slices.Delete(slices.Clone(s.untracked), i, i+1)
			}
			a.Forgotten++
			continue
		case "move", "relabel":
			if !known {
				return a, count.ErrNotLearned
			}
		}
		full, as := s.keep[id] == count.LedgerFull, keep
		whole := known && full && o.kind == "add" && len(s.text(id).Dropped) == 0
		less := whole && bytes.Compare(digestOf(given), digestOf(s.text(id))) < 0
		stays := known && old.Class == given.Class
		if known && o.kind == "new" || stays {
			if a.Already++; o.kind == "new" || !less {
				continue
			}
		}
		if noCounts && o.kind == "add" {
			a.Conflicts = append(a.Conflicts, id)
			continue
		}
		if noCounts {
			return a, ErrNoCounts
		}
		if known {
			if !stays {
				a.Moved++
			} else {
				as = count.LedgerFull
			}
			if whole && !less {
				given = old
				given.Class, given.Time, given.Source = o.doc.Class, o.doc.Time, o.doc.Source
			}
			if o.kind == "relabel" || o.kind == "move" && s.keep[id] == count.LedgerFull {
				given = old
				given.Class = o.doc.Class
			}
			delete(s.docs, id)
			delete(s.keep, id)
		} else {
			a.Learned++
		}
		if err := s.conflict(given); err != nil {
			return a, err
		}
		switch {
		case as == count.LedgerNone:
			s.untracked = append(s.untracked, given)
		case len(given.Dropped) > 0: // its text could not be compared
			s.docs[id], s.keep[id] = given, count.LedgerFull
		default:
			s.docs[id], s.keep[id], s.whole[id] = given, as, given
		}
	}
	return a, nil
}

func sameTerms(a, b count.Document) bool { return termsText(a) == termsText(b) }

func termsText(d count.Document) string {
	var list []string
	for _, t := range d.Terms {
		list = append(list, fmt.Sprintf("%d=%q", t.N, t.Term))
	}
	slices.Sort(list)
	return strings.Join(list, " ") + fmt.Sprint(d.Dropped) + attributeTail(d)
}

// kindConflict is why the sums of other cannot be added, or nil.
func (s *sim) kindConflict(other *sim) error {
	have, want := s.kinds(), other.kinds()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have[name] != 0 && have[name] != want[name] {
			return &count.AttributeError{Name: name, Have: have[name], Want: want[name]}
		}
	}
	return nil
}

// merge adds what other knows, which is not all in full.
func (s *sim) merge(other *sim, twice bool) (a Applied, err error) {
	s.untracked = slices.Concat(s.untracked, other.untracked)
	a.Learned = len(other.untracked)
	for _, id := range layout.InOrder(other.docs) {
		mine, theirs := s.keep[id], other.keep[id]
		same := mine != 0 && sameTerms(s.text(id), other.text(id))
		moved := s.docs[id].Class != other.docs[id].Class
		known := func(keeps, others count.Ledger) bool {
			return keeps == count.LedgerFull || others == count.LedgerFull && same
		}
		enter := false
		switch {
		case mine == 0:
			enter = true
			a.Learned++
		case moved && known(mine, theirs):
			enter = true
			a.Moved++
		case moved && known(theirs, mine):
			a.Conflicts = append(a.Conflicts, id)
		case known(theirs, mine):
			a.Already++
		case twice:
			a.Twice++
			s.untracked = append(s.untracked, other.text(id))
		default:
			err = ErrOverlap
		}
		if enter {
			s.docs[id], s.keep[id], s.whole[id] = other.docs[id], theirs, other.whole[id]
		}
	}
	return a, err
}

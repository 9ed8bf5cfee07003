package classify

import (
	"math"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/internal/recent"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/sketch"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// correction is what recent lessons add to the log-odds of the second of two classes.
type correction struct {
	*recent.Correction
	first, second int       // classes of the prepared model
	floor         fit.Floor // of answers: a correction makes none surer than it allows
}

// corrections has the correction made last.
type corrections struct {
	mu      sync.Mutex
	state   uint64 // store.Snapshot.StateDigest
	classes [2]count.ClassID
	of      *recent.Correction
}

// correctionOf returns the correction of s by its lessons; nil unless two classes have documents.
func (c *Classifier) correctionOf(s *store.Snapshot, classes []*count.Class, fitted *calibration.Model) *correction {
	var at []int
	for i, class := range classes {
		if class.Docs > 0 {
			at = append(at, i)
		}
	}
	if len(at) != 2 {
		return nil
	}
	x := &correction{first: at[0], second: at[1]}
	if fitted != nil {
		x.floor = fit.Floor(fitted.Floor)
	}
	of, state := [2]count.ClassID{classes[x.first].ID, classes[x.second].ID}, s.StateDigest()
	kept := &c.opener().corrections
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.of == nil || kept.state != state || kept.classes != of {
		kept.of, kept.state, kept.classes = new(recent.Correction), state, of
		s.Notes(func(_ string, n store.Note) {
			if n.Class == of[0] || n.Class == of[1] {
				kept.of.Add(n.Text, n.Class == of[1])
			}
		})
	}
	x.Correction = kept.of
	return x
}

// featuresOf returns the features of a document with these terms and grams of its header.
func featuresOf(terms []count.TermCount, grams []uint16) []uint16 {
	hashes := make([]uint32, len(terms))
	for i := range terms {
		hashes[i] = uint32(layer.Hash(terms[i].Term) >> 32)
	}
	return append(sketch.Features(make([]uint16, 0, 2*sketch.Most), hashes), grams...)
}

// correct adds the correction for a document to the scores, and returns what it has added to
// that of the second class.
func (x *correction) correct(scores []float64, terms []count.TermCount, grams []uint16) float64 {
	if x == nil || x.Empty() {
		return 0
	}
	l, weight := x.LogOdds(featuresOf(terms, grams))
	before := scores[x.second] - scores[x.first]
	after := before + weight*l
	if x.floor > 0 {
		most := max(math.Abs(before), fit.Shrinkage{Floor: x.floor}.LogOdds(math.Abs(after)))
		after = max(-most, min(most, after))
	}
	scores[x.second] += after - before
	return after - before
}

const (
	// mostLessons is the number of documents in a batch beyond which only counts are learned:
	// that is a training in bulk, which calibrates at its end.
	mostLessons = 64

	// noSurprise is how much higher the Layer must score a document for the class that it is
	// taught as, in nats, for it not to be asked about: with that it is at least 95 % sure. So
	// a training asks about one document in three to ten, and takes a tenth longer, not half.
	noSurprise = 3
)

// teaching makes the lessons of a batch.
type teaching struct {
	s     *store.Snapshot
	p     *prepared
	q     *question
	wrong map[count.ClassID]float64 // calibration.Calibration.WrongLabels
	layer model.Layer
}

// noteLessons asks about the new documents of a batch before they are learned, and notes
// lessons with those that are a surprise. In a database that follows a log there are none:
// followers answer alike, and some may have begun with others.
func (c *Classifier) noteLessons(b *Batch) error {
	if b.Len() > mostLessons || c.options.Raw {
		return nil
	}
	return c.viewEach([]Model{Auto{}}, func(s *store.Snapshot, all []*prepared) error {
		log, err := s.Stream()
		if all[0].recent == nil || log != nil || err != nil {
			return err
		}
		l := teaching{s: s, p: all[0], q: questions.Get().(*question)}
		defer questions.Put(l.q)
		if k := c.calibrations.read(s); k != nil {
			l.wrong, l.layer = k.WrongLabels, c.calibrations.layerOf(s, k, l.p.once)
		}
		at := 0
		b.delta.Each(func(id count.DocID, class string, doc *store.Encoded) {
			if doc != nil && err == nil {
				err = l.add(b, at, id, class, doc)
			}
			at++
		})
		return err
	})
}

// add notes the lesson of document at of the batch, if it has one.
func (l *teaching) add(b *Batch, at int, id count.DocID, class string, doc *store.Encoded) error {
	x := l.p.recent
	own, other := x.first, x.second
	if l.p.classes[own].Name != class {
		own, other = other, own
	}
	if known, err := l.s.Entry(id); known != nil || err != nil || l.p.classes[own].Name != class {
		return err // what is moved was learned before, and its answer shows that
	}
	counted := doc.Document()
	var grams []uint16
	if at < len(b.grams) {
		grams = b.grams[at]
	}
	features := featuresOf(counted.Terms, grams)
	a := recent.Answer{Own: l.wrong[l.p.classes[own].ID], Other: l.wrong[l.p.classes[other].ID]}
	if a.Correction, a.Weight = x.LogOdds(features); own == x.first {
		a.Correction = -a.Correction
	}
	if l.layer.Ahead(counted.Terms, l.p.classes[own].ID, l.p.classes[other].ID)+min(0, a.Correction) > noSurprise {
		return nil
	}
	if err := l.q.askCounted(l.s, l.p, &counted, grams); err != nil {
		return err
	}
	l.q.scores[x.second] -= l.q.recent
	a.LogOdds = l.q.scores[own] - l.p.shift[own] - l.q.scores[other] + l.p.shift[other]
	if lesson := a.Lesson(features); lesson != nil {
		b.delta.Note(at, lesson.Marshal())
	}
	return nil
}

// askCounted is ask for a document that is about to be learned.
func (q *question) askCounted(s *store.Snapshot, p *prepared, doc *count.Document, grams []uint16) error {
	q.evidence.Terms, q.grams = doc.Terms, grams
	q.fields(p)
	if err := q.evidence.ReadTerms(s, p.levels); err != nil {
		return err
	}
	if err := q.evidence.ReadAttributes(s, p.attributes, p.reads, doc.Attributes); err != nil {
		return err
	}
	q.score(p)
	return nil
}

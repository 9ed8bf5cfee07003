package classify

import (
	"math"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/internal/recent"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
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
	within  *store.Snapshot // for which it was made
}

// correctionOf returns the correction of s by its lessons; nil unless two classes have documents.
func (c *Classifier) correctionOf(s source, classes []*count.Class, fitted *calibration.Model) *correction {
	at := present(classes)
	if len(at) != 2 {
		return nil
	}
	x := &correction{first: at[0], second: at[1], floor: shrinkageOf(fitted).Floor}
	of, state := [2]count.ClassID{classes[x.first].ID, classes[x.second].ID}, s.StateDigest()
	kept := &c.opener().corrections
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.of == nil || kept.state != state || kept.classes != of || kept.of.Few && !(s.once && kept.within == s.Snapshot) {
		few := s.once && kept.of == nil // a process that asks a second time will ask more
		kept.of, kept.state, kept.classes, kept.within = &recent.Correction{Few: few}, state, of, s.Snapshot
		s.Notes(func(_ string, _ count.DocID, class count.ClassID, text []byte) {
			if class == of[0] || class == of[1] {
				kept.of.Add(text, class == of[1])
			}
		})
	}
	x.Correction = kept.of
	return x
}

// readFeatures sets the features of a document with these terms, whose header has these grams.
func (q *question) readFeatures(terms []count.TermCount, grams []uint16) {
	q.hashes, q.features.Terms, q.features.Grams = q.hashes[:0], q.features.Terms[:0], grams
	for _, t := range terms {
		h := layer.Hash(t.Term)
		q.hashes = append(q.hashes, h)
		q.features.Terms = append(q.features.Terms, recent.Term{Hash: uint16(h >> 32), N: t.N})
	}
}

// correct adds the correction for the document of q to its scores, and returns what it has added
// to that of the second class.
func (x *correction) correct(q *question) float64 {
	if x == nil || x.Empty() {
		return 0
	}
	q.grams = q.bag.AppendGrams(q.grams[:0])
	q.readFeatures(q.evidence.Terms, q.grams)
	before := q.scores[x.second] - q.scores[x.first]
	after := x.Correct(before, x.LogOdds(&q.features))
	if x.floor > 0 {
		most := max(math.Abs(before), fit.Shrinkage{Floor: x.floor}.LogOdds(math.Abs(after)))
		after = max(-most, min(most, after))
	}
	q.scores[x.second] += after - before
	return after - before
}

const (
	// fewestLearned is the number of documents of each class before which there are no lessons:
	// all is a surprise then, and answers depend on the counts alone, in whatever order they came.
	fewestLearned = 5

	// fewTaken is the number of documents up to which a calibration is replaced together with
	// the lessons: all was a surprise then, and the counts have soon taken it in.
	fewTaken = 50

	// noSurprise is how much higher the Layer must score a document for the class that it is
	// taught as, in nats, for it not to be asked about: with that it is at least 95 % sure. So
	// a training asks about one document in three to eight, and takes a tenth longer, not half.
	noSurprise = 3
)

// teaching makes the lessons of a batch.
type teaching struct {
	s       *store.Snapshot
	x       *correction
	classes []*count.Class
	wrong   map[count.ClassID]float64 // calibration.Calibration.WrongLabels
	layer   model.Layer               // the zero Layer if there is none
	prepare func() (*prepared, error)
}

// withLessons asks about the documents of a batch before they are learned, and returns its
// changes with a lesson for each that is a surprise. In a database that follows a log there are
// none: followers answer alike, and some may have begun with others.
func (c *Classifier) withLessons(b *Batch) (*store.Delta, error) {
	if b.Len() > mostLessons || c.options.Raw || c.db.Tags() {
		return &b.delta, nil
	}
	d := &store.Delta{Keep: b.delta.Keep} // other databases, which learn the batch too, have other lessons
	d.Merge(&b.delta)
	return d, c.db.View(func(s *store.Snapshot) error {
		l := teaching{s: s, classes: s.Classes(), x: c.correctionOf(source{s, b.Len() == 1}, s.Classes(), nil)}
		log, err := s.Stream()
		if l.x == nil || log != nil || err != nil || min(l.classes[l.x.first].Docs, l.classes[l.x.second].Docs) < fewestLearned {
			return err
		}
		if k := c.calibrations.read(s); k != nil {
			l.wrong, l.layer = k.WrongLabels, c.calibrations.layerOf(source{s, true}, k)
		}
		l.prepare = sync.OnceValues(func() (*prepared, error) {
			if _, is := c.options.Model.(Auto); is {
				return c.prepare(s)
			}
			return c.newPrepared(source{s, true}, Auto{})
		})
		at := 0
		d.Each(func(_ count.DocID, class string, doc *store.Encoded) {
			if doc != nil && err == nil {
				err = l.add(d, at, class, doc, b.grams)
			}
			at++
		})
		return err
	})
}

// add notes the lesson of document at of d, if it has one. all are the grams of the first documents.
func (l *teaching) add(d *store.Delta, at int, class string, doc *store.Encoded, all [][]uint16) error {
	own, other := l.x.first, l.x.second
	if l.classes[own].Name != class {
		own, other = other, own
	}
	if l.classes[own].Name != class {
		return nil
	}
	counted := doc.Decode(class)
	var grams []uint16
	if at < len(all) {
		grams = all[at]
	}
	q := questions.Get().(*question)
	defer questions.Put(q)
	q.readFeatures(counted.Terms, grams)
	a := recent.Answer{Own: l.wrong[l.classes[own].ID], Other: l.wrong[l.classes[other].ID]}
	if a.Correction = l.x.LogOdds(&q.features); own == l.x.first {
		a.Correction = -a.Correction
	}
	if l.layer.Ahead(counted.Terms, q.hashes, l.s.Documents(), l.classes[own].ID, l.classes[other].ID)+min(0, a.Correction) > noSurprise {
		return nil
	}
	p, err := l.prepare()
	if err != nil {
		return err
	}
	q.evidence.Terms, q.bag = counted.Terms, new(tokenize.Bag)
	q.bag.SetGrams(grams)
	if err := q.read(l.s, p, counted.Attributes); err != nil {
		return err
	}
	q.score(p)
	q.scores[l.x.second] -= q.recent
	a.LogOdds = q.scores[own] - p.shift[own] - q.scores[other] + p.shift[other]
	lesson := l.x.Lesson(&a)
	if lesson == nil {
		return nil
	}
	met := new(recent.Met)
	l.s.Notes(func(_ string, _ count.DocID, _ count.ClassID, text []byte) { met.Add(text) })
	d.Note(at, lesson.Marshal(met, &q.features, l.idf(&q.evidence)))
	return nil
}

// idf returns the idf of the terms of evidence before its document is learned.
func (l *teaching) idf(e *model.Evidence) []float64 {
	n := l.s.Documents()
	idf := slices.Repeat([]float64{layer.IDF(n, 0)}, len(e.Terms))
	for _, rows := range [][]model.Row{e.Rows, e.Channel} {
		for i := range rows {
			idf[rows[i].At] = layer.IDF(n, rows[i].DF)
		}
	}
	return idf
}

// dropLessons makes state drop recent lessons that the calibration k, which may be nil, makes superfluous:
// all of them if everything is fitted anew, or if the calibration before was of few documents or there
// was none. If nearly all lessons are of one class, which would bend all answers, it drops those whose
// documents k answers rightly without them, and all in a small database.
func dropLessons(state map[string][]byte, s *store.Snapshot, k *calibration.Calibration, g *calibrating) {
	replaced := k != nil && (g.old == nil || g.old.Documents < fewTaken)
	bent := k != nil && oneSided(s)
	soon := g.part > 0 || !dueFit{documents: g.documents, classes: g.classes}.slow() // it calibrates again
	s.Notes(func(key string, id count.DocID, _ count.ClassID, _ []byte) {
		if g.anew || replaced || bent && (soon || g.scores.right[id]) {
			state[key] = nil
		}
	})
}

// oneSided reports whether more than nine of ten lessons are of one class.
func oneSided(s *store.Snapshot) bool {
	lessons, all, most := make(map[count.ClassID]int), 0, 0
	s.Notes(func(_ string, _ count.DocID, class count.ClassID, _ []byte) {
		lessons[class]++
		all, most = all+1, max(most, lessons[class])
	})
	return 10*most > 9*all
}

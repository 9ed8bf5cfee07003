package tags

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// sampleMost is the default size of the calibration sample, and samplePairs bounds
	// documents × tags: their scores are held until the fits are done.
	sampleMost  = 1 << 13
	samplePairs = 1 << 20

	// ownMost is the number of documents of each tag that are scored in addition to the
	// sample, which has too few of a rare tag.
	ownMost = 300

	// fewest is the least number of documents for a calibration.
	fewest = 20

	// quick is the number of documents up to which calibrating takes no more than some 50 ms.
	quick = 100
)

// Refit calibrates again if the database has changed by a twentieth since the last
// calibration, or if a tag has doubled.
func (t *Tagger) Refit(ctx context.Context) error { return t.RefitAfter(ctx, classify.FewTaught) }

// Refit is Tagger.Refit of an open database of tags.
func Refit(ctx context.Context, c *classify.Classifier) error {
	t, err := New(c, Options{})
	if err != nil {
		return err
	}
	return t.Refit(ctx)
}

// RefitAfter is classify.Classifier.RefitAfter.
func (t *Tagger) RefitAfter(ctx context.Context, documents int) error {
	t.fitting.Lock()
	defer t.fitting.Unlock()
	due, slow, err := t.due(calibration.RefitGrowth)
	if err == nil && due && !(slow && documents < classify.FewTaught) {
		err = t.calibrate(ctx, 0)
	}
	return err
}

// FitDue is classify.Classifier.FitDue.
func (t *Tagger) FitDue(growth float64) (bool, error) {
	due, _, err := t.due(growth)
	return due, err
}

// due returns whether calibrating is due, and whether it takes more than some 50 ms.
func (t *Tagger) due(growth float64) (due, slow bool, err error) {
	err = t.c.Store().View(func(s *store.Snapshot) error {
		due, slow = isDue(newCounts(s), t.readFit(s), growth), s.Documents() > quick
		return nil
	})
	return due, slow, err
}

// isDue reports whether much has changed since fit: by this share of the documents, or of a tag.
func isDue(c *counts, fit *fitted, share float64) bool {
	if fit == nil {
		return c.totals.Documents >= fewest
	}
	growth := calibration.Growth{Share: share}
	growth.Add(c.totals.Documents, fit.k.Documents)
	for _, tag := range c.totals.Classes {
		last := uint64(0)
		if at := fit.at(tag.Name); at >= 0 {
			last = fit.k.Models[at].Documents
		}
		growth.AddClass(tag.Docs, last)
	}
	return growth.Due(fit.k.Sample)
}

// Calibrate fits everything anew to the leave-one-out scores of about limit documents that
// the ledger keeps in full; 0 is 8,192, or fewer with many tags. So the same counts and
// ledger give the same answers afterwards, whatever their history.
func (t *Tagger) Calibrate(ctx context.Context, limit int) error {
	if limit < 0 {
		return fmt.Errorf("size of the calibration sample %d: want 0 or more", limit)
	}
	t.fitting.Lock()
	defer t.fitting.Unlock()
	return t.calibrate(ctx, limit)
}

func (t *Tagger) calibrate(ctx context.Context, limit int) error {
	var l looScores
	err := t.c.Store().Detached(func(s *store.Snapshot) error { return l.gather(ctx, s, limit) })
	if err != nil {
		return err
	}
	k := l.fit(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	state := map[string][]byte{keyCalibration: nil, keyLayer: nil}
	if l.layer != nil {
		state[keyLayer] = l.layer.Marshal(idsOf(len(k.Models)))
		k.Layer = layer.Sum(state[keyLayer])
	}
	if state[keyCalibration], err = k.Marshal(); err != nil {
		return err
	}
	return t.c.Store().PutState(state)
}

// idsOf returns the class ids of tags in the Layer.
func idsOf(tags int) []count.ClassID {
	ids := make([]count.ClassID, tags)
	for i := range ids {
		ids[i] = count.ClassID(i)
	}
	return ids
}

// looScores are leave-one-out scores of learned documents: each is scored without its own
// counts.
type looScores struct {
	*counts
	components []model.Component
	sample     []scored
	more       []scored // additional documents of rare tags
	layer      *layer.Weights
	fields     bool // some document has a term of a field
}

// scored is a document with its scores.
type scored struct {
	id     count.DocID
	key    uint64
	tags   []int
	scores []float64 // components × tags
}

// gather scores documents.
func (l *looScores) gather(ctx context.Context, s *store.Snapshot, limit int) error {
	l.counts, l.components = newCounts(s), components()
	tags, documents := len(l.totals.Classes), l.totals.Documents
	if tags == 0 || documents < fewest {
		return nil
	}
	if limit == 0 {
		limit = min(sampleMost, samplePairs/tags)
	}
	offsets := make([]float64, tags)
	for i, tag := range l.totals.Classes {
		offsets[i] = prior(tag.Docs, documents)
	}
	rows := model.RowsOnce{Reader: s}
	learner := layer.NewTags(offsets, &rows.Terms)
	share := func(n int) float64 { return float64(n) / float64(documents) * (1 << 64) }
	learned, sampled := max(share(learner.Most()), share(limit)), share(limit)
	owns := make([]float64, tags) // by tag: documents with lower keys are scored in addition to the sample
	for i, tag := range l.totals.Classes {
		owns[i] = float64(ownMost) / float64(tag.Docs) * (1 << 64)
	}
	byName := make(map[string]int, len(l.classes))
	for i, set := range l.classes {
		byName[set.Name] = i
	}
	features := model.NewFeatures(l.components[:len(l.components)-1], l.totals)
	var e evidence
	full := uint64(0)
	want := func(id count.DocID) bool { full++; return float64(layer.Key(id)) < learned }
	err := s.Learned(want, func(doc *count.Document) error {
		runtime.Gosched() // trainings and questions come first
		set, known := byName[doc.Class]
		if !known {
			return nil
		}
		d := scored{id: doc.ID, key: layer.Key(doc.ID), tags: l.of[set]}
		inSample := float64(d.key) < sampled
		isScored := inSample || slices.ContainsFunc(d.tags, func(tag int) bool { return float64(d.key) < owns[tag] })
		if isScored {
			left, ok, err := e.leaveOut(&rows, l.counts, doc, set)
			if err != nil {
				return err
			}
			if isScored = ok && len(e.Rows) > 0; isScored {
				l.fields = l.fields || slices.ContainsFunc(e.Rows, func(r model.Row) bool { return r.Fields > model.TextFields })
				d.scores = make([]float64, len(l.components)*tags)
				features.LeaveOut(left, 0, &e.Evidence, d.scores)
			}
		}
		switch {
		case !isScored:
			rows.Number(doc.Terms)
		case inSample:
			l.sample = append(l.sample, d)
		default:
			l.more = append(l.more, d)
		}
		learner.AddTagged(doc, rows.Numbers, d.tags, isScored)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, list := range [][]scored{l.sample, l.more} {
		slices.SortFunc(list, func(a, b scored) int {
			return cmp.Or(cmp.Compare(a.key, b.key), slices.Compare(a.id[:], b.id[:]))
		})
	}
	if full < documents {
		return nil // otherwise the Layer would be of some documents, and counts of all
	}
	return l.learn(s, learner, &rows.Terms)
}

// learn learns the Layer, and adds its scores.
func (l *looScores) learn(s *store.Snapshot, learner *layer.Learner, terms *layer.Terms) error {
	df, err := terms.Frequencies(s)
	if err != nil {
		return err
	}
	byID := make(map[count.DocID][]float64)
	for _, list := range [][]scored{l.sample, l.more} {
		for _, d := range list {
			byID[d.id] = d.scores
		}
	}
	last := (len(l.components) - 1) * len(l.totals.Classes)
	l.layer = learner.LearnTags(l.totals.Documents, df, func(id count.DocID, values []float64) { copy(byID[id][last:], values) })
	return nil
}

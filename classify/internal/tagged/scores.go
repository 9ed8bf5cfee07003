package tagged

import (
	"cmp"
	"context"
	"runtime"
	"slices"

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

	// Fewest is the least number of documents for a calibration.
	Fewest = 20
)

// Fits fits everything, and returns the values that the database keeps.
func (l *Scores) Fits(ctx context.Context) (map[string][]byte, error) {
	k := l.fit(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	state := map[string][]byte{KeyCalibration: nil, KeyLayer: nil}
	if l.layer != nil {
		var ids []count.ClassID
		for _, tag := range l.Classes {
			ids = append(ids, tag.ID)
		}
		state[KeyLayer] = l.layer.Marshal(ids)
		k.Layer = layer.Sum(state[KeyLayer])
	}
	data, err := k.Marshal()
	state[KeyCalibration] = data
	return state, err
}

// Scores are leave-one-out scores of learned documents: each is scored without its own
// counts.
type Scores struct {
	*Counts
	components []model.Component
	sample     []*scored
	more       []*scored // additional documents of rare tags
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

// Gather scores about limit documents that the ledger keeps in full; 0 is 8,192, or fewer with
// many tags.
func (l *Scores) Gather(ctx context.Context, s *store.Snapshot, limit int) error {
	l.Counts, l.components = New(s), Components()
	tags, documents := len(l.Classes), l.Documents
	if tags == 0 || documents < Fewest {
		return nil
	}
	if limit == 0 {
		limit = min(sampleMost, samplePairs/tags)
	}
	offsets := make([]float64, tags)
	for i, tag := range l.Classes {
		offsets[i] = Prior(tag.Docs, documents)
	}
	rows := model.RowsOnce{Reader: s}
	learner := layer.NewTags(offsets, &rows.Terms)
	share := func(n int) float64 { return float64(n) / float64(documents) * (1 << 64) }
	learned, sampled := max(share(learner.Most()), share(limit)), share(limit)
	owns := make([]float64, tags) // by tag: documents with lower keys are scored in addition to the sample
	for i, tag := range l.Classes {
		owns[i] = float64(ownMost) / float64(tag.Docs) * (1 << 64)
	}
	features := model.NewFeatures(l.components[:len(l.components)-1], l.Totals)
	var e Evidence
	full := uint64(0)
	want := func(id count.DocID) bool { full++; return float64(layer.Key(id)) < learned }
	err := s.Learned(want, func(doc *count.Document) error {
		runtime.Gosched() // trainings and questions come first
		set := count.ClassNamed(l.Sets, doc.Class)
		if set < 0 {
			return nil
		}
		d := &scored{id: doc.ID, key: layer.Key(doc.ID), tags: l.of[set]}
		inSample := float64(d.key) < sampled
		isScored := inSample || slices.ContainsFunc(d.tags, func(tag int) bool { return float64(d.key) < owns[tag] })
		var scored func([]float64)
		if isScored {
			left, ok, err := e.LeaveOut(&rows, l.Counts, doc, set)
			if err != nil {
				return err
			}
			if isScored = ok && len(e.Rows) > 0; isScored {
				l.fields = l.fields || slices.ContainsFunc(e.Rows, func(r model.Row) bool { return r.Fields > model.TextFields })
				d.scores = make([]float64, len(l.components)*tags)
				features.LeaveOut(left, 0, &e.Evidence, d.scores)
				scored = func(values []float64) { copy(d.scores[len(d.scores)-tags:], values) }
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
		learner.Add(doc, rows.Numbers, 0, d.tags, scored)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, list := range [][]*scored{l.sample, l.more} {
		slices.SortFunc(list, func(a, b *scored) int {
			return cmp.Or(cmp.Compare(a.key, b.key), slices.Compare(a.id[:], b.id[:]))
		})
	}
	if full < documents {
		return nil // otherwise the Layer would be of some documents, and counts of all
	}
	df, err := rows.Terms.Frequencies(s)
	if err == nil {
		l.layer = learner.Learn(l.Documents, df)
	}
	return err
}

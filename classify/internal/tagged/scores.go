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
	seen       model.Seen // of the documents scored
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
	l.Counts, l.components = New(s), Components(nil)
	tags := len(l.Classes)
	if tags == 0 || l.Documents < Fewest {
		return nil
	}
	limit = cmp.Or(limit, min(sampleMost, samplePairs/tags))
	g := gathering{Scores: l, rows: model.RowsOnce{Reader: s}, features: model.NewFeatures(l.components, l.Totals)}
	offsets := make([]float64, tags)
	for i, tag := range l.Classes {
		offsets[i] = Prior(tag.Docs, l.Documents)
		g.own = append(g.own, below(ownMost, tag.Docs))
	}
	g.learner = layer.NewTags(offsets, &g.rows.Terms)
	g.sampled = below(limit, l.Documents)
	learned, full := max(below(g.learner.Most(), l.Documents), g.sampled), uint64(0)
	want := func(id count.DocID) bool { full++; return float64(layer.Key(id)) < learned }
	err := s.Learned(want, func(doc *count.Document) error {
		runtime.Gosched() // trainings and questions come first
		if err := g.add(doc); err != nil {
			return err
		}
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
	if full < l.Documents {
		return nil // otherwise the Layer would be of some documents, and counts of all
	}
	df, err := g.rows.Terms.Frequencies(s)
	if err == nil {
		l.layer = g.learner.Learn(ctx, l.Documents, df)
	}
	return err
}

// below returns the number that the keys of n of so many documents are below.
func below(n int, documents uint64) float64 { return float64(n) / float64(documents) * (1 << 64) }

// gathering is the state of Gather.
type gathering struct {
	*Scores
	rows     model.RowsOnce
	features *model.Features
	learner  *layer.Learner
	evidence Evidence

	sampled float64   // documents with lower keys are in the sample
	own     []float64 // by tag: documents with lower keys are scored in addition to the sample
}

// add scores a document if it is to be scored, and has the Layer learn it.
func (g *gathering) add(doc *count.Document) error {
	set := count.ClassNamed(g.Sets, doc.Class)
	if set < 0 {
		return nil
	}
	d := &scored{id: doc.ID, key: layer.Key(doc.ID), tags: g.of[set]}
	inSample, fromLayer := float64(d.key) < g.sampled, (func([]float64))(nil)
	if inSample || slices.ContainsFunc(d.tags, func(tag int) bool { return float64(d.key) < g.own[tag] }) {
		left, ok, err := g.evidence.LeaveOut(&g.rows, g.Counts, doc, set)
		if err != nil {
			return err
		}
		if ok && len(g.evidence.Rows) > 0 {
			g.seen.Add(&g.evidence.Evidence)
			d.scores = make([]float64, len(g.components)*len(g.Classes))
			g.features.LeaveOut(left, 0, &g.evidence.Evidence, d.scores)
			first := slices.IndexFunc(g.components, model.Component.IsLayer) * len(g.Classes)
			fromLayer = func(values []float64) { copy(d.scores[first:], values) }
		}
	}
	switch {
	case d.scores == nil:
		g.rows.Number(doc.Terms)
	case inSample:
		g.sample = append(g.sample, d)
	default:
		g.more = append(g.more, d)
	}
	g.learner.Add(doc, g.rows.Numbers, 0, d.tags, fromLayer)
	return nil
}

package classify

import (
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Refit calibrates the models again if the database has changed by a twentieth since the last
// calibration. Trainings do so after larger changes; questions never do. Use Refit at the end of
// a large training, and for counts that did not come through a Classifier, as from a dump or a
// merge; see also Options.Fitting.
func (c *Classifier) Refit(ctx context.Context) error {
	return c.RefitAfter(ctx, calibration.FewTaught)
}

// RefitAfter is Refit for a program that ends after a training of so many documents. If they
// are fewer than calibration.FewTaught, it makes no fit of more than about 50 ms: it calibrates
// to a sample that small, if each class has enough documents in it and the last calibration had
// no larger one. The rest is left to the next larger training, to a process that stays, or to
// Calibrate.
func (c *Classifier) RefitAfter(ctx context.Context, documents int) error {
	if c.opened != nil {
		return nil
	}
	c.refit.Lock()
	defer c.refit.Unlock()
	return c.fitDue(ctx, calibration.RefitGrowth, documents < calibration.FewTaught)
}

// fitBehind makes the fits that trainings have made due.
func (c *Classifier) fitBehind(ctx context.Context, _ struct{}) bool {
	c.refit.Lock()
	defer c.refit.Unlock()
	due, err := c.due(calibration.TrainGrowth)
	if err != nil || !due.any() {
		return false // already done
	}
	_ = c.fitDue(ctx, calibration.TrainGrowth, c.taught.Load() < calibration.FewTaught) // the next training tries again
	return true
}

// Calibrate fits everything again: in a database of tags the models of all tags, and it returns
// nil; else the default Stack, Options.Model and the given models, to the leave-one-out scores of
// about limit documents that the ledger keeps in full. Stored fits of other models are dropped. So
// if the ledger has all documents in full, the same counts and ledger give the same answers
// afterwards, whatever their history. limit 0 means 8,000 documents for two classes and about
// 4,000 for many; later trainings use the requested limit, up to 10,000.
//
// With too few documents it returns nil and, if the ledger has all of them in full, drops the
// stored calibration. Only ApplyLog calibrates a database that follows a log: for it the error
// wraps store.ErrFollows.
func (c *Classifier) Calibrate(ctx context.Context, limit int, models ...Model) (*calibration.Calibration, error) {
	if limit < 0 {
		return nil, fmt.Errorf("size of the calibration sample %d: want 0 or more", limit)
	}
	for _, m := range models {
		if err := checkModel(m); err != nil {
			return nil, err
		}
	}
	if err := c.mustNotFollow(); err != nil {
		return nil, err
	}
	c.refit.Lock()
	defer c.refit.Unlock()
	return c.calibrate(ctx, &calibrating{limit: limit, models: append(slices.Clone(models), c.options.Model), anew: true})
}

// Recalibrate repeats the calibration of a database with its current counts and the same
// models. If the database is not calibrated, or no longer because it has lost most of its
// documents, it fits as Refit does, and returns nil.
func (c *Classifier) Recalibrate(ctx context.Context) (*calibration.Calibration, error) {
	before, err := c.Calibration()
	if err != nil {
		return nil, err
	}
	// Request a limit and models only if the ledger has all documents: requested fits always
	// replace the stored ones.
	switch {
	case c.db.Tags(), before != nil && c.db.Ledger() != count.LedgerFull:
		return c.Calibrate(ctx, 0)
	case before == nil:
		return nil, c.Refit(ctx)
	}
	var models []Model
	for _, m := range before.Models {
		if parsed, err := ParseModel(m.Name); err == nil {
			models = append(models, parsed)
		}
	}
	return c.Calibrate(ctx, before.Limit, models...)
}

// fitDue makes the fits that are due, with quick unless they are slow; the caller holds c.refit.
func (c *Classifier) fitDue(ctx context.Context, share float64, quick bool) error {
	due, err := c.due(share)
	if err != nil {
		return err
	}
	quick = quick && due.slow()
	if due.calibrate && (!quick || due.grown && due.part > 0) {
		release, claimed, err := c.db.Claim()
		if err != nil || !claimed { // another process is fitting now
			return err
		}
		defer release()
		g := &calibrating{models: []Model{c.options.Model}}
		if quick {
			g.part = due.part
		}
		if k, err := c.calibrate(ctx, g); err != nil || k != nil || !quick {
			return err
		}
	}
	if due.lost {
		// Otherwise it would become valid again with other documents.
		return c.db.PutState(clearCalibration(make(map[string][]byte)))
	}
	return nil
}

// calibrate draws a sample, fits the models to it and stores the fits; the caller holds
// c.refit.
func (c *Classifier) calibrate(ctx context.Context, g *calibrating) (*calibration.Calibration, error) {
	if c.db.Tags() {
		return nil, c.calibrateTags(ctx, g)
	}
	err := c.db.Detached(func(s *store.Snapshot) error { return c.score(ctx, s, g) })
	if err != nil {
		return nil, err
	}
	var k *calibration.Calibration
	if g.scores != nil && !g.less {
		if k, err = g.scores.calibration(ctx); err != nil {
			return nil, err
		}
	}
	if k == nil && g.part > 0 {
		return nil, c.db.PutState(map[string][]byte{keyPartTried: number(g.documents)})
	}
	if k != nil {
		k.Limit = g.limit
		if !g.anew && g.old != nil {
			k.Models = append(k.Models, slices.DeleteFunc(slices.Clone(g.old.Models), func(m calibration.Model) bool { return k.Model(m.Name) != nil })...)
		}
	}
	return k, c.put(k, g)
}

// calibrateTags is calibrate for a database of tags, whose fits depend on no others.
func (c *Classifier) calibrateTags(ctx context.Context, g *calibrating) error {
	var scores tagged.Scores
	if err := c.db.Detached(func(s *store.Snapshot) error { return scores.Gather(ctx, s, g.limit) }); err != nil {
		return err
	}
	state, err := scores.Fits(ctx)
	if err != nil {
		return err
	}
	if g.followed > 0 {
		state[keyFollowed] = number(g.followed)
	}
	return c.db.PutState(state)
}

// calibrating holds the inputs of a calibration.
type calibrating struct {
	limit    int
	part     int     // the size of the sample, of which alone the Layer learns; 0 for the usual one
	models   []Model // beside the default Stack
	anew     bool    // nothing depends on stored fits; otherwise models that are not calibrated keep theirs
	followed uint64  // the set position of the log, 0 if none is followed

	old       *calibration.Calibration
	documents uint64
	classes   int        // with documents
	scores    *looScores // nil if there are fewer than two classes
	less      bool       // its sample is much smaller than the sample of old
}

func (c *Classifier) score(ctx context.Context, s *store.Snapshot, g *calibrating) (err error) {
	g.old, g.documents, g.classes = c.calibrations.read(s), s.Documents(), count.WithDocuments(s.Classes())
	if g.classes < 2 {
		return nil
	}
	usual, documents, byDefault := sampleSize(g.classes), g.limit, g.limit == 0
	if byDefault {
		documents = usual
		if !g.anew && g.old != nil && g.old.Limit != 0 {
			g.limit = g.old.Limit
			documents = max(usual, min(g.limit, sampleKept))
		}
	}
	if g.part > 0 {
		documents = g.part
	}
	t, err := allTotals(s)
	if err != nil {
		return err
	}
	var stacks []model.Stack
	for _, m := range slices.Concat([]Model{Auto{}}, g.models) {
		one := asStack(m)
		if !slices.ContainsFunc(stacks, func(s model.Stack) bool { return s.Label == one.Label }) {
			stacks = append(stacks, c.dcm.fill(one.WithAttributes(t, false), s, t.Classes, true))
		}
	}
	var trained []trainedDocument
	if g.followed == 0 { // other processes have trained other documents
		trained = c.trained.list()
	}
	g.scores = newLooScores(s, t, stacks)
	err = g.scores.gather(ctx, documents, trained, g.part > 0)
	if err == nil && g.old != nil && !g.scores.whole && byDefault {
		g.less = len(g.scores.docs) < min(g.old.Sample, usual)/2
	}
	return err
}

// put stores the calibration k, unless another process has stored one meanwhile and this one was not
// asked to calibrate. If k is nil, it drops the stored calibration where that is no longer supported, or
// where the ledger has all documents and they do not suffice.
func (c *Classifier) put(k *calibration.Calibration, g *calibrating) error {
	state := map[string][]byte{keyTried: nil, keyPart: nil, keyPartTried: nil}
	others := false // another process has calibrated
	err := c.db.View(func(s *store.Snapshot) error {
		now := c.calibrations.read(s)
		if others = !g.anew && now != nil && now != g.old; !others {
			dropLessons(state, s, k, g)
		}
		return nil
	})
	if err != nil || others {
		return err
	}
	if g.part > 0 {
		state[keyPart] = []byte{}
	}
	switch {
	case k != nil:
		state[keyLayer] = g.scores.keepLayer(k)
		data, err := k.Marshal()
		if err != nil {
			return err
		}
		state[keyCalibration], state[keyRecord], state[keySuspects] = data, g.scores.record.Marshal(), nil
		if len(g.scores.suspects) > 0 {
			state[keySuspects] = calibration.MarshalSuspects(g.scores.suspects)
		}
	case g.old == nil || g.scores == nil || g.scores.whole:
		clearCalibration(state)
	}
	if g.followed > 0 {
		state[keyFollowed] = number(g.followed)
	}
	if k == nil && !g.anew {
		state[keyTried] = number(g.documents)
	}
	return c.db.PutState(state)
}

// clearCalibration makes state drop a calibration and the values that belong to it.
func clearCalibration(state map[string][]byte) map[string][]byte {
	for _, key := range []string{keyCalibration, keyLayer, keyRecord, keySuspects} {
		state[key] = nil
	}
	return state
}

// mustNotFollow returns store.ErrFollows if the database follows a log.
func (c *Classifier) mustNotFollow() error {
	return c.db.View(func(s *store.Snapshot) error {
		log, err := s.Stream()
		if err == nil && log != nil {
			err = fmt.Errorf("%s: %w, %s", c.db.Path(), store.ErrFollows, log)
		}
		return err
	})
}

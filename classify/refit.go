package classify

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Refit fits the DCM of every class that has changed by more than a tenth of its documents
// since its last fit, if that is worth a scan of all rows, and calibrates the models anew if
// the database has changed by a twentieth since that was done. Trainings do so when more
// has changed; questions never do. Refit is for the end of a large training, and for counts
// that did not come through a Classifier, as from a dump; see also Options.Fitting.
func (c *Classifier) Refit(ctx context.Context) error {
	if c.opened != nil || c.db.Tags() {
		return nil
	}
	c.refit.Lock()
	defer c.refit.Unlock()
	return c.fitDue(ctx, refitCalibration)
}

// fitBehind fits what trainings have made due.
func (c *Classifier) fitBehind(ctx context.Context, _ struct{}) bool {
	c.refit.Lock()
	defer c.refit.Unlock()
	due, err := c.due(trainCalibration)
	if err != nil || !due.any() {
		return false // somebody has done it
	}
	_ = c.fitDue(ctx, trainCalibration) // the next training tries again
	return true
}

// Calibrate fits everything anew: the DCM of every class, and the models that Auto chooses
// from and the given ones, to the leave-one-out scores of about limit documents that the
// ledger keeps in full. What the database keeps of models that are not given is dropped. So
// where the ledger has all documents in full, the same counts and ledger give the same
// answers afterwards, whatever their history. limit 0 stands for 8,000 documents if there
// are two classes and about 4,000 if there are many; from then on trainings take as many as
// were asked for, up to 10,000.
//
// A database that follows a log is calibrated by ApplyLog alone: the error wraps
// store.ErrFollows. It returns nil if there are too few documents. The database's calibration is then dropped,
// unless the ledger lacks documents in full: then what training has fitted is kept. It
// returns an error if a model is invalid.
func (c *Classifier) Calibrate(ctx context.Context, limit int, models ...Model) (*calibration.Calibration, error) {
	if c.db.Tags() {
		return nil, fmt.Errorf("%s: %w", c.db.Path(), ErrHasTags)
	}
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
	return c.calibrate(ctx, limit, models, true)
}

// Recalibrate calibrates a database again that was calibrated when it had other counts, with
// the models that it was calibrated with. One that is not calibrated, or no longer since it
// has lost most of its documents, it fits as Refit does, and returns nil.
func (c *Classifier) Recalibrate(ctx context.Context) (*calibration.Calibration, error) {
	before, err := c.Calibration()
	if err != nil {
		return nil, err
	}
	if before == nil {
		return nil, c.Refit(ctx)
	}
	// A limit and models are given only where the ledger has more to offer than what
	// the calibration was made of: what is asked for by name replaces that always.
	if c.db.Ledger() != count.LedgerFull {
		return c.Calibrate(ctx, 0)
	}
	var models []Model
	for _, m := range before.Models {
		if parsed, err := ParseModel(m.Name); err == nil && len(m.Tails) > 0 { // others come unasked
			models = append(models, parsed)
		}
	}
	return c.Calibrate(ctx, before.Limit, models...)
}

const (
	// trainCalibration is the growth, by documents, after which a training
	// calibrates: a sample of n documents is then paid for by n/3 trainings or more.
	trainCalibration = 0.5

	// refitCalibration is that after which Refit does.
	refitCalibration = 0.05
)

// keyTried is where the database keeps how many documents it had when a calibration last
// failed because the ledger has too few in full. Otherwise every training would walk
// through the ledger in vain.
const keyTried = "calibration/tried"

// dueFit is what is to be done by now.
type dueFit struct {
	dcm       bool // the DCM of some class is to be fitted
	calibrate bool
	lost      bool // there is a calibration, which is not supported any longer

	documents uint64 // learned by now
	classes   int    // with documents
}

func (d dueFit) any() bool { return d.dcm || d.calibrate || d.lost }

// cheapFor returns whether a training of so many documents is not much longer with the fit
// than without: it has a third of all, or these are so few that a fit takes milliseconds.
func (d dueFit) cheapFor(documents int) bool {
	return uint64(documents) >= d.documents/3 || d.documents*uint64(d.classes) <= smallFit
}

// smallFit is up to how many documents, each as often as there are classes, are few.
const smallFit = 200

// due says what is to be done. Calibrating is, if the number of documents, or that of a
// class, has changed by that share since it was done or tried.
// In a database that follows a log nothing is due but what ApplyLog fits.
func (c *Classifier) due(share float64) (due dueFit, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		log, err := s.Stream()
		if err == nil && log == nil {
			due = c.dueIn(s, share)
		}
		return err
	})
	return due, err
}

func (c *Classifier) dueIn(s *store.Snapshot, share float64) (due dueFit) {
	due.dcm = len(dueFits(s.Classes(), readFits(s), s.Vocabulary())) > 0
	docs := s.Documents()
	due.documents, due.classes = docs, withDocuments(s.Classes())
	grown := func(docs, last uint64, share float64) bool {
		return float64(changed(docs, last)) > share*float64(last)
	}
	due.calibrate = docs >= uint64(fewest(s.Classes())) && due.classes > 1
	if k := c.calibrations.read(s); k != nil {
		due.calibrate = due.calibrate && (grown(docs, k.Documents, share) || classGrown(k, s.Classes()))
	} else {
		due.lost = s.State(keyCalibration) != nil
	}
	if tried := s.State(keyTried); len(tried) == 8 {
		due.calibrate = due.calibrate && grown(docs, binary.BigEndian.Uint64(tried), share)
	}
	return due
}

// fitDue fits what is due; the caller holds c.refit.
func (c *Classifier) fitDue(ctx context.Context, share float64) error {
	due, err := c.due(share)
	if err == nil && due.dcm {
		err = c.claimed(func() error { return c.fitDCM(ctx) })
	}
	switch {
	case err != nil:
		return err
	case due.calibrate:
		return c.claimed(func() error {
			_, err := c.calibrate(ctx, 0, nil, false)
			return err
		})
	case due.lost:
		// Or it would come back with other documents.
		return c.db.PutState(map[string][]byte{keyCalibration: nil, keyLayer: nil})
	}
	return nil
}

func changed(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// A class that has doubled, and by classGrowth documents at least, was hardly in the
// calibration sample. Each document that has changed since pays for classPays documents of
// a new sample.
const (
	classGrowth = 10
	classPays   = 20
)

// classGrown reports whether a class has grown so much that calibrating is worth it.
func classGrown(k *calibration.Calibration, classes []*count.Class) bool {
	grown, all := false, uint64(0)
	for _, class := range classes {
		last := k.Learned[class.ID]
		n := changed(class.Docs, last)
		all += n
		grown = grown || class.Docs > last && n >= max(classGrowth, last)
	}
	return grown && classPays*all >= uint64(k.Sample)
}

// calibrate draws a sample, fits the models to it and keeps the fits; the caller holds
// c.refit. If it does so anew, nothing depends on what was kept before; otherwise fits of
// the DCM stay as they are, and a model that is not calibrated now keeps what it has.
func (c *Classifier) calibrate(ctx context.Context, limit int, models []Model, anew bool) (*calibration.Calibration, error) {
	stacks, asked := stacksFor(append(slices.Clone(models), c.options.Model))
	return c.calibrateFrom(ctx, &calibrating{limit: limit, anew: anew, stacks: stacks}, asked)
}

// calibrateFrom is calibrate of what g says.
func (c *Classifier) calibrateFrom(ctx context.Context, g *calibrating, asked []string) (*calibration.Calibration, error) {
	err := c.db.Aside(func(s *store.Snapshot) error { return c.gather(ctx, s, g) })
	if err != nil {
		return nil, err
	}
	var k *calibration.Calibration
	if g.scores != nil && !g.less {
		if k, err = g.scores.calibration(ctx, asked); err != nil {
			return nil, err
		}
	}
	if k != nil {
		k.Limit = g.limit
		if !g.anew {
			keepModels(k, g.old)
		}
	}
	return k, c.put(k, g)
}

// calibrating is what a calibration is made of.
type calibrating struct {
	limit  int
	anew   bool
	stacks []model.Stack

	followed uint64 // the set position of the log that it is made at, 0 if none is followed

	old       *calibration.Calibration
	documents uint64
	classes   []*count.Class
	fits      []model.Fit
	scores    *looScores // nil if there are fewer than two classes
	less      bool       // its sample is much smaller than that of old
}

// gather fits the DCM, if that is to be done anew, and scores documents.
func (c *Classifier) gather(ctx context.Context, s *store.Snapshot, g *calibrating) (err error) {
	g.old, g.documents, g.classes, g.fits = c.calibrations.read(s), s.Documents(), s.Classes(), readFits(s)
	if g.anew {
		if g.fits, err = fitAnew(ctx, s); err != nil {
			return err
		}
	}
	if withDocuments(g.classes) < 2 {
		return nil
	}
	usual, documents, byDefault := sampleSize(withDocuments(g.classes)), g.limit, g.limit == 0
	if byDefault {
		documents = usual
		if !g.anew && g.old != nil && g.old.Limit != 0 {
			g.limit = g.old.Limit
			documents = max(usual, min(g.limit, sampleKept))
		}
	}
	t, err := c.totals(ctx, s)
	if err != nil {
		return err
	}
	for i := range g.stacks {
		g.stacks[i] = g.stacks[i].WithAttributes(c.options.Attributes, t, false)
	}
	var trained []trainedDocument
	if g.followed == 0 { // other processes have trained others
		trained = c.trained.list()
	}
	g.scores, err = gather(ctx, s, t, g.stacks, g.fits, documents, trained)
	if err == nil && g.old != nil && !g.scores.whole && byDefault {
		g.less = len(g.scores.docs) < min(g.old.Sample, usual)/2
	}
	return err
}

// stacksFor returns the Stacks to calibrate, those that Auto chooses from first, and the
// labels of the models that were asked for.
func stacksFor(models []Model) (stacks []model.Stack, asked []string) {
	stacks = candidates()
	for _, m := range models {
		one, ok := asStack(m)
		if !ok {
			continue
		}
		asked = append(asked, one.Label)
		if !slices.ContainsFunc(stacks, func(s model.Stack) bool { return s.Label == one.Label }) {
			stacks = append(stacks, one)
		}
	}
	return stacks, asked
}

// keepModels takes over the models that old has and k has not.
func keepModels(k, old *calibration.Calibration) {
	if old == nil {
		return
	}
	for _, m := range old.Models {
		if k.Model(m.Name) == nil {
			k.Models = append(k.Models, m)
		}
	}
}

// put keeps k, and fits made anew, in the database. Without k, what there was is
// dropped if it is not supported any longer, or if the ledger has all documents and
// they do not suffice.
//
// Another process may have calibrated meanwhile. What it has found stays, unless this
// one was told to calibrate.
func (c *Classifier) put(k *calibration.Calibration, g *calibrating) error {
	if !g.anew {
		var now *calibration.Calibration
		if err := c.db.View(func(s *store.Snapshot) error { now = c.calibrations.read(s); return nil }); err != nil {
			return err
		}
		if now != nil && now != g.old {
			return nil
		}
	}
	state := map[string][]byte{keyTried: nil}
	switch {
	case k != nil:
		state[keyLayer] = g.scores.keepLayer(k)
		data, err := k.Marshal()
		if err != nil {
			return err
		}
		state[keyCalibration] = data
	case g.old == nil || g.scores == nil || g.scores.whole:
		state[keyCalibration], state[keyLayer] = nil, nil
	}
	if g.followed > 0 {
		state[keyFollowed] = position(g.followed)
	}
	if k == nil && !g.anew {
		state[keyTried] = binary.BigEndian.AppendUint64(nil, g.documents)
	}
	if g.anew {
		for i, class := range g.classes {
			state[fitKey(class.ID)] = nil
			if g.fits[i] != (model.Fit{}) {
				state[fitKey(class.ID)], _ = g.fits[i].MarshalBinary()
			}
		}
	}
	return c.putFits(state)
}

// asStack returns the Stack by which a model is calibrated; Auto, Average and Gibbs
// have none of their own.
func asStack(m Model) (model.Stack, bool) {
	switch m := m.(type) {
	case model.Stack:
		return m, true
	case model.EventModel:
		return model.Single(m), true
	}
	return model.Stack{}, false
}

package classify

import (
	"context"
	"encoding/binary"
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
// a large training, and for counts that did not come through a Classifier, as from a dump; see also Options.Fitting.
func (c *Classifier) Refit(ctx context.Context) error { return c.RefitAfter(ctx, FewTaught) }

// RefitAfter is Refit for a program that ends after a training of so many documents. If they
// are fewer than FewTaught, it makes no fit of more than about 50 ms: it calibrates to a sample that
// small, if each class has enough documents in it and the last calibration had no larger one. The
// rest is left to the next larger training, to a process that stays, or to Calibrate.
func (c *Classifier) RefitAfter(ctx context.Context, documents int) error {
	if c.opened != nil {
		return nil
	}
	c.refit.Lock()
	defer c.refit.Unlock()
	return c.fitDue(ctx, calibration.RefitGrowth, documents < FewTaught)
}

// FitDue reports whether the documents have grown by the share growth,
// calibration.RefitGrowth or TrainGrowth, since the last calibration.
func (c *Classifier) FitDue(growth float64) (bool, error) {
	due, err := c.due(growth)
	return due.grown, err
}

// fitBehind makes the fits that trainings have made due.
func (c *Classifier) fitBehind(ctx context.Context, _ struct{}) bool {
	c.refit.Lock()
	defer c.refit.Unlock()
	due, err := c.due(calibration.TrainGrowth)
	if err != nil || !due.any() {
		return false // already done
	}
	_ = c.fitDue(ctx, calibration.TrainGrowth, c.taught.Load() < FewTaught) // the next training tries again
	return true
}

// Calibrate fits everything again: in a database of tags the models of all tags, and it returns
// nil; else the default Stack, Options.Model and the given models,
// to the leave-one-out scores of about limit documents that the ledger keeps in full. Stored
// fits of other models are dropped. So if the ledger has all documents in full, the same counts
// and ledger give the same answers afterwards, whatever their history. limit 0 means 8,000
// documents for two classes and about 4,000 for many; later trainings use the requested limit,
// up to 10,000.
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
	if c.db.Tags() {
		return c.Calibrate(ctx, 0)
	}
	if before == nil {
		return nil, c.Refit(ctx)
	}
	// Request a limit and models only if the ledger has all documents: requested fits always
	// replace the stored ones.
	if c.db.Ledger() != count.LedgerFull {
		return c.Calibrate(ctx, 0)
	}
	var models []Model
	for _, m := range before.Models {
		if parsed, err := ParseModel(m.Name); err == nil {
			models = append(models, parsed)
		}
	}
	return c.Calibrate(ctx, before.Limit, models...)
}

// keyTried is the key of the number of documents when a calibration last failed because
// the ledger has too few in full. Without it every training would read the ledger in vain.
const keyTried = "calibration/tried"

// dueFit says which fits are due.
type dueFit struct {
	calibrate bool
	grown     bool // that is so because of new documents, not because of keyPart
	lost      bool // there is a calibration that is no longer supported

	documents uint64 // learned so far
	classes   int    // with documents
	part      int    // the size of the sample that a fit which is not slow may have; 0 if that would not do
}

func (d dueFit) any() bool { return d.calibrate || d.lost }

// slow returns whether a person who has taught a document would notice the fit.
func (d dueFit) slow() bool { return d.documents*uint64(d.classes) > smallFit }

// smallFit is the largest product of documents and classes that are fitted in some 50 ms.
// 22,000 messages of two classes take a second.
const smallFit = 800

// partFewest is the least number of documents of a class in a part: fewer are below classFewest too
// often.
const partFewest = 6

// partOf returns the size of a sample that is fitted in some 50 ms, 0 if a class would have too few
// documents in it.
func partOf(classes []*count.Class, docs uint64) int {
	part := smallFit / max(withDocuments(classes), 1)
	for _, class := range classes {
		if class.Docs > 0 && uint64(part)*class.Docs < partFewest*docs {
			return 0
		}
	}
	return part
}

// keyPart is a key that is there if the calibration is to a part of the documents: whoever has
// the time calibrates anew.
const keyPart = "calibration/part"

// keyPartTried is keyTried for parts of the documents, which fail more often.
const keyPartTried = "calibration/part-tried"

// FewTaught is the number of documents below which a user does not expect to wait for a fit. A
// process that has taught fewer leaves a slow fit to a larger training, to a process that stays, or
// to one that calibrates.
const FewTaught = 10

// due returns the fits that are due. Calibrating is due if the number of documents, or of
// a class, has changed by share since it was done or tried. In a database that follows a
// log nothing is due, since ApplyLog fits.
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
	if c.db.Tags() {
		return dueOfTags(s, share)
	}
	docs := s.Documents()
	due.documents, due.classes = docs, withDocuments(s.Classes())
	due.grown = docs >= uint64(fewest(s.Classes())) && due.classes > 1
	part := false
	if c.db.Ledger() == count.LedgerFull {
		due.part = partOf(s.Classes(), docs)
	}
	if k := c.calibrations.read(s); k != nil {
		due.grown = due.grown && outgrown(k, docs, s.Classes(), share, func(class *count.Class) uint64 { return k.Learned[class.ID] })
		if part = s.State(keyPart) != nil; !part && k.Sample > due.part {
			due.part = 0
		}
	} else {
		due.lost = s.State(keyCalibration) != nil
	}
	more := func(key string) bool {
		tried := s.State(key)
		return len(tried) != 8 || grown(docs, binary.BigEndian.Uint64(tried), share)
	}
	due.grown = due.grown && more(keyTried)
	if !more(keyPartTried) {
		due.part = 0
	}
	due.calibrate = due.grown || part
	return due
}

// dueOfTags is due of a database of tags.
func dueOfTags(s *store.Snapshot, share float64) dueFit {
	c, k := tagged.New(s), tagged.Parse(s.StateInPlace(tagged.KeyCalibration), s.StateInPlace(tagged.KeyLayer))
	due := dueFit{documents: c.Documents, classes: len(c.Classes)}
	if k == nil {
		due.grown = c.Documents >= tagged.Fewest
	} else {
		due.grown = outgrown(k.Calibration, c.Documents, c.Classes, share, k.Learned)
	}
	due.calibrate = due.grown
	return due
}

// A class that has doubled, and grown by at least classGrowth documents, was hardly in the
// calibration sample. A new sample may have at most classPays documents for each changed
// document.
const (
	classGrowth = 10
	classPays   = 20
)

// outgrown reports whether the documents, in all or of a class, have changed so much since k that
// calibrating is worthwhile. then returns the documents of a class at that time.
func outgrown(k *calibration.Calibration, docs uint64, classes []*count.Class, share float64, then func(*count.Class) uint64) bool {
	doubled, all := false, uint64(0)
	for _, class := range classes {
		before := then(class)
		n := changed(class.Docs, before)
		all += n
		doubled = doubled || class.Docs > before && n >= max(classGrowth, before)
	}
	return grown(docs, k.Documents, share) || doubled && classPays*all >= uint64(k.Sample)
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
	err := c.db.Detached(func(s *store.Snapshot) error { return c.gather(ctx, s, g) })
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
		return nil, c.db.PutState(map[string][]byte{keyPartTried: binary.BigEndian.AppendUint64(nil, g.documents)})
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
		state[keyFollowed] = position(g.followed)
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

// gather scores documents.
func (c *Classifier) gather(ctx context.Context, s *store.Snapshot, g *calibrating) (err error) {
	g.old, g.documents, g.classes = c.calibrations.read(s), s.Documents(), withDocuments(s.Classes())
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
	g.scores, err = gather(ctx, s, t, stacks, documents, trained, g.part > 0)
	if err == nil && g.old != nil && !g.scores.whole && byDefault {
		g.less = len(g.scores.docs) < min(g.old.Sample, usual)/2
	}
	return err
}

// put stores the calibration k, unless another process has stored one meanwhile and this one was not
// asked to calibrate. If the calibration before was of few documents, or there was none, put drops all recent
// lessons. If nearly all lessons are of one class, which would bend all answers, it drops those whose
// documents k answers rightly without them, and all in a small database. If k is nil, it drops the
// stored calibration where that is no longer supported, or where the ledger has all documents and
// they do not suffice.
func (c *Classifier) put(k *calibration.Calibration, g *calibrating) error {
	state := make(map[string][]byte)
	others := false // another process has calibrated
	if err := c.db.View(func(s *store.Snapshot) error {
		now := c.calibrations.read(s)
		others = !g.anew && now != nil && now != g.old
		replaced := k != nil && !others && (g.old == nil || g.old.Documents < fewTaken)
		bent := k != nil && !others && oneSided(s)
		soon := g.part > 0 || !dueFit{documents: g.documents, classes: g.classes}.slow() // it calibrates again
		s.Notes(func(key string, id count.DocID, _ count.ClassID, _ []byte) {
			if g.anew || replaced || bent && (soon || g.scores.right[id]) {
				state[key] = nil
			}
		})
		return nil
	}); err != nil {
		return err
	}
	if others {
		return nil
	}
	state[keyTried], state[keyPart], state[keyPartTried] = nil, nil, nil
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
		state[keyFollowed] = position(g.followed)
	}
	if k == nil && !g.anew {
		state[keyTried] = binary.BigEndian.AppendUint64(nil, g.documents)
	}
	return c.db.PutState(state)
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

// clearCalibration makes state drop a calibration and the values that belong to it.
func clearCalibration(state map[string][]byte) map[string][]byte {
	for _, key := range []string{keyCalibration, keyLayer, keyRecord, keySuspects} {
		state[key] = nil
	}
	return state
}

// keyFollowed is the key of the set position of the last fit in the database.
const keyFollowed = "calibration/followed"

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

func position(p uint64) []byte { return binary.BigEndian.AppendUint64(nil, p) }

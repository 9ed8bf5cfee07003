package classify

import (
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// The keys of the Record and of the suspects that belong to the Calibration in the database.
// Most answers need neither.
const (
	keyRecord   = "calibration/record"
	keySuspects = "calibration/suspects"
)

// Record returns how reliable the answers of the calibrated model were; nil if the models
// were never calibrated.
func (c *Classifier) Record() (r *calibration.Record, err error) {
	err = c.db.View(func(s *store.Snapshot) error { r = c.readRecord(s); return nil })
	return r, err
}

// Suspects returns the learned documents whose labels are probably wrong, the likeliest
// first: as many as the rate of wrong labels suggests, up to 1,000. A document that was
// forgotten or moved since the calibration is not among them. There are none while the
// models are not calibrated, and none with more than 128 classes.
func (c *Classifier) Suspects() (list []calibration.Suspect, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		for _, x := range calibration.ParseSuspects(s.StateInPlace(keySuspects)) {
			e, err := s.Entry(x.ID)
			if err != nil {
				return err
			}
			if e != nil && slices.ContainsFunc(s.Classes(), func(c *count.Class) bool { return c.ID == x.Class && c.Name == e.Class }) {
				list = append(list, x)
			}
		}
		return nil
	})
	return list, err
}

// readRecord returns the stored Record, nil if there is none.
func (c *Classifier) readRecord(s *store.Snapshot) *calibration.Record {
	r := c.records.of(s.StateInPlace(keyRecord), calibration.ParseRecord)
	return r.Bounded(c.calibrations.read(s).Model(stackName))
}

// recordOf returns the Record of stack i.
func (loo *looScores) recordOf(i int, halves *halfFits) *calibration.Record {
	var answers []calibration.Answered
	add := func(docs []scored) {
		halves.each(loo.sample(docs, i), func(d *scored, scores, truth []float64) {
			top := numeric.Top(scores)
			answers = append(answers, calibration.Answered{
				Class: loo.t.Classes[d.list[top]].ID, LogOdds: numeric.LogOdds(scores, top), Right: truth[top],
			})
		})
	}
	late := make(map[count.DocID]bool)
	for _, d := range loo.latest.docs {
		late[d.id] = true
	}
	add(slices.DeleteFunc(slices.Clone(loo.docs), func(d scored) bool { return late[d.id] }))
	add(loo.latest.then)
	return calibration.NewRecord(answers)
}

// suspectRate is the rate of wrong labels that suspects are looked for with while the labels
// show none: a few there always are.
const suspectRate = .001

// review finds the documents whose labels are probably wrong by stack i, and those that it
// answers rightly.
func (loo *looScores) review(i int, halves *halfFits) {
	if loo.listed() {
		return
	}
	loo.right = make(map[count.DocID]bool)
	flips := loo.flips
	if flips == nil {
		flips = loo.sample(loo.docs, i).AllFlips(suspectRate)
	}
	for _, docs := range [][]scored{loo.docs, loo.rare} {
		s := loo.sample(docs, i)
		s.Flips = flips
		halves.each(s, func(d *scored, scores, truth []float64) {
			if numeric.Top(scores) == d.label {
				loo.right[d.id] = true
			}
			if wrong := 1 - truth[d.label]; wrong > .5 {
				loo.suspects = append(loo.suspects, calibration.Suspect{
					ID: d.id, Class: loo.t.Classes[d.label].ID, Likely: loo.t.Classes[numeric.Top(truth)].ID, Wrong: wrong,
				})
			}
		})
	}
}

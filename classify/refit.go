package classify

import (
	"context"
	"encoding/binary"

	"github.com/polya-classifier/polya/store"
)

// refitShare is how much of a class may be new, by documents, before the
// precision of its DCM is fitted again. The α follow the counts in between; the
// precision changes slowly.
const refitShare = 0.01

// A fit looks at all rows, so that in a small class of a large database every
// training would be followed by one. Each changed document pays for refitRows of
// them, a tenth of a millisecond, unless the class has grown by refitAnyway of
// its size.
const (
	refitRows   = 1000
	refitAnyway = 0.5
)

// Refit fits the DCM of every class that has changed by more than a hundredth
// of its documents since its last fit, if that is worth a look at all rows.
// Every training does so, in its own time and never in a reader's; it need be
// called only after the counts have changed by other ways than a Classifier, by
// loading a dump.
func (c *Classifier) Refit(ctx context.Context) error {
	c.refit.Lock()
	defer c.refit.Unlock()
	return c.fitDue(ctx)
}

// fitDue is Refit for who holds c.refit.
func (c *Classifier) fitDue(ctx context.Context) error {
	var due []int
	var fits []Fit
	var classes []*store.Class
	var vocabulary uint64
	var rows []Histograms
	err := c.db.View(func(s *store.Snapshot) (err error) {
		fits = readFits(s)
		classes, vocabulary = s.Classes(), s.Vocabulary()
		if due = dueFits(classes, fits, vocabulary); len(due) == 0 {
			return nil
		}
		rows, err = scanHistograms(ctx, s, due)
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	state := make(map[string][]byte, len(due))
	for _, i := range due {
		fit := FitDCM(classes[i], rows[i].Slice(), vocabulary, DefaultDCMEpsilon, fits[i])
		if state[fitKey(classes[i].ID)], err = fit.MarshalBinary(); err != nil {
			return err
		}
	}
	err = c.db.PutState(state)
	c.mu.Lock()
	c.fitted++
	c.mu.Unlock()
	return err
}

// dueFits returns the classes whose fit is too old, and, if there is one, those
// that will be soon: one look at all rows does for all of them.
func dueFits(classes []*store.Class, fits []Fit, vocabulary uint64) []int {
	var due, soon []int
	for i, class := range classes {
		if class.Docs < MinDCMDocuments {
			continue
		}
		changed := max(class.Docs, fits[i].Docs) - min(class.Docs, fits[i].Docs)
		share := float64(changed) / float64(class.Docs)
		if share > refitShare && (changed*refitRows >= vocabulary || share > refitAnyway) {
			due = append(due, i)
		}
		if share > refitShare/3 {
			soon = append(soon, i)
		}
	}
	if len(due) == 0 {
		return nil
	}
	return soon
}

// scanHistograms reads the rows of the classes that are due.
func scanHistograms(ctx context.Context, s *store.Snapshot, due []int) ([]Histograms, error) {
	rows := make([]Histograms, len(s.Classes()))
	wanted := make([]bool, len(rows))
	for _, i := range due {
		wanted[i] = true
	}
	err := s.ScanRepeated(func(_ []byte, cells []store.Cell) error {
		for _, cell := range cells {
			if wanted[cell.Class] && cell.TF > cell.DF {
				rows[cell.Class].Add(cell)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, i := range due {
		rows[i].AddOnce(s.Classes()[i].Frequencies)
	}
	return rows, nil
}

// readFits returns the fits that the database keeps, in order of class. What
// cannot be read is no fit: it is made again when that is due.
func readFits(s *store.Snapshot) []Fit {
	fits := make([]Fit, len(s.Classes()))
	for i, class := range s.Classes() {
		if data := s.State(fitKey(class.ID)); data != nil && fits[i].UnmarshalBinary(data) != nil {
			fits[i] = Fit{}
		}
	}
	return fits
}

// fitKey is where the fit of a class is kept: by its id, so that a new name
// changes nothing.
func fitKey(id store.ClassID) string {
	return "dcm/" + string(binary.BigEndian.AppendUint32(nil, uint32(id)))
}

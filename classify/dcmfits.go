package classify

import (
	"context"
	"encoding/binary"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// refitShare is the share of new documents in a class at which the precision of its DCM is
// fitted again. In between the α follow the counts; the precision changes slowly.
const refitShare = 0.1

// A fit scans all rows, so a small class of a large database would cause a scan after
// every training. So there must be a changed document for every refitRows rows, a tenth of
// a millisecond, unless the class has grown by refitAnyway of its size.
const (
	refitRows   = 1000
	refitAnyway = 0.5
)

// fitAnew fits the DCM of every class that has enough documents, using only the counts.
func fitAnew(ctx context.Context, s *store.Snapshot) ([]model.Fit, error) {
	var large []int
	for i, class := range s.Classes() {
		if class.Docs >= model.MinDCMDocuments {
			large = append(large, i)
		}
	}
	fits := make([]model.Fit, len(s.Classes()))
	return fits, fitClasses(ctx, s, large, fits)
}

// dueFits returns the classes whose fit is too old and, if there is one, those whose fit
// soon will be: one scan of all rows serves them all.
func dueFits(classes []*count.Class, fits []model.Fit, vocabulary uint64) []int {
	var due, soon []int
	for i, class := range classes {
		if class.Docs < model.MinDCMDocuments {
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

// fitClasses fits the DCM of some classes, each starting from its fit in fits.
func fitClasses(ctx context.Context, s *store.Snapshot, which []int, fits []model.Fit) error {
	if len(which) == 0 {
		return nil
	}
	rows := make([]*model.Histograms, len(fits))
	for _, i := range which {
		rows[i] = new(model.Histograms)
	}
	err := s.ScanRepeated(func(_ []byte, cells []count.Cell) error {
		for _, cell := range cells {
			if rows[cell.Class] != nil {
				rows[cell.Class].Add(cell)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, i := range which {
		fits[i] = model.FitDCM(s.Classes()[i], rows[i], s.Vocabulary(), model.DefaultDCMEpsilon, fits[i])
	}
	return nil
}

// readFits returns the stored fits of classes. An unreadable fit is left out, and made again
// when that is due.
func readFits(s *store.Snapshot, classes []*count.Class) []model.Fit {
	fits := make([]model.Fit, len(classes))
	for i, class := range classes {
		if data := s.State(fitKey(class.ID)); data != nil && fits[i].UnmarshalBinary(data) != nil {
			fits[i] = model.Fit{}
		}
	}
	return fits
}

// fitKey is the key of the fit of a class: its id, so that renaming changes nothing.
func fitKey(id count.ClassID) string {
	return "dcm/" + string(binary.BigEndian.AppendUint32(nil, uint32(id)))
}

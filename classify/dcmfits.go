package classify

import (
	"context"
	"encoding/binary"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// fitDCM returns the DCM of the classes that have enough documents, from the counts alone.
func fitDCM(ctx context.Context, s *store.Snapshot) ([]model.Fit, error) {
	fits := make([]model.Fit, len(s.Classes()))
	rows := make([]*model.Histograms, len(fits))
	for i, class := range s.Classes() {
		if class.Docs >= model.MinDCMDocuments {
			rows[i] = new(model.Histograms)
		}
	}
	err := s.Scan(true, func(_ []byte, cells []count.Cell) error {
		for _, cell := range cells {
			if rows[cell.Class] != nil {
				rows[cell.Class].Add(cell)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for i, class := range s.Classes() {
		if rows[i] != nil {
			fits[i] = model.FitDCM(class, rows[i], s.Vocabulary(), model.DefaultDCMEpsilon)
		}
	}
	return fits, nil
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

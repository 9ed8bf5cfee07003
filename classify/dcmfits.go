package classify

import (
	"context"
	"encoding/binary"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// refitShare is the share of changed documents in a class from which calibrating fits the
// precision of its DCM again. In between the α follow the counts; the precision changes slowly.
const refitShare = 1. / 30

// fitDCM fits the DCM of the classes that have enough documents and whose fit is too old, or of
// all anew, from the counts alone.
func (g *calibrating) fitDCM(ctx context.Context, s *store.Snapshot) error {
	if g.anew {
		g.fits = make([]model.Fit, len(g.classes))
	}
	var due []int
	for i, class := range g.classes {
		old := class.Docs >= model.MinDCMDocuments && float64(changed(class.Docs, g.fits[i].Docs)) > refitShare*float64(class.Docs)
		if old {
			due = append(due, i)
		}
		if old || g.anew {
			g.refitted = append(g.refitted, i)
		}
	}
	return fitClasses(ctx, s, due, g.fits)
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

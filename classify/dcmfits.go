package classify

import (
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// precisions are those of the DCM by class. They are fitted when they are first needed, and again
// when the documents have changed by a twentieth.
type precisions struct {
	mu        sync.Mutex
	documents uint64
	of        map[count.ClassID]float64
}

// fill returns the stack with the precisions of classes where a DCM has none, with anew fitted to
// the present counts. There are none if the rows cannot be read.
func (p *precisions) fill(stack model.Stack, s *store.Snapshot, classes []*count.Class, anew bool) model.Stack {
	stack.Components = slices.Clone(stack.Components)
	for i := range stack.Components {
		m, is := stack.Components[i].Model.(model.DCM)
		if !is || m.Fits != nil {
			continue
		}
		p.mu.Lock()
		if anew || p.of == nil || grown(s.Documents(), p.documents, calibration.RefitGrowth) {
			p.of, p.documents = fitDCM(s), s.Documents()
		}
		for _, class := range classes {
			m.Fits = append(m.Fits, p.of[class.ID])
		}
		p.mu.Unlock()
		stack.Components[i].Model = m
	}
	return stack
}

// fitDCM fits the DCM of the classes that have enough documents.
func fitDCM(s *store.Snapshot) map[count.ClassID]float64 {
	rows := make([]model.Histograms, len(s.Classes()))
	err := s.Scan(true, func(_ []byte, cells []count.Cell) error {
		for _, cell := range cells {
			rows[cell.Class].Add(cell)
		}
		return nil
	})
	if err != nil {
		return nil
	}
	fits := make(map[count.ClassID]float64)
	for i, class := range s.Classes() {
		if class.Docs >= model.MinDCMDocuments {
			fits[class.ID] = model.FitDCM(class, &rows[i], s.Vocabulary(), model.DefaultDCMEpsilon)
		}
	}
	return fits
}

// grown reports whether a number of documents has changed by more than a share.
func grown(now, then uint64, share float64) bool {
	return float64(changed(now, then)) > share*float64(then)
}

func changed(a, b uint64) uint64 { return max(a, b) - min(a, b) }

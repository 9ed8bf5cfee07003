package calibration

const (
	// TrainGrowth is the growth, by documents, after which a training calibrates: so a sample of n
	// documents follows at least n/3 trainings.
	TrainGrowth = 0.5

	// RefitGrowth is the growth after which a Refit calibrates.
	RefitGrowth = 0.05

	// A class that has doubled, and grown by at least classGrowth documents, was hardly in the
	// calibration sample. A new sample may have at most classPays documents for each changed
	// document.
	classGrowth = 10
	classPays   = 20
)

// Growth sums up how counts have changed since a calibration.
type Growth struct {
	Share float64 // of all documents, the change of which makes another calibration due

	much, doubled bool
	changed       uint64 // documents of classes
}

// Add adds the number of all documents, now and then.
func (g *Growth) Add(now, then uint64) {
	g.much = g.much || float64(changed(now, then)) > g.Share*float64(then)
}

// AddClass adds the number of documents of a class, now and then.
func (g *Growth) AddClass(now, then uint64) {
	n := changed(now, then)
	g.changed += n
	g.doubled = g.doubled || now > then && n >= max(classGrowth, then)
}

// Due reports whether another calibration is worthwhile, with a sample of this size.
func (g *Growth) Due(sample int) bool {
	return g.much || g.doubled && classPays*g.changed >= uint64(sample)
}

func changed(a, b uint64) uint64 { return max(a, b) - min(a, b) }

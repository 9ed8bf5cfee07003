package model

// Features computes the tempered scores of components, those that a Stack weighs.
type Features struct {
	parts, left []part
}

// NewFeatures prepares all of the components, whatever their weights.
func NewFeatures(components []Component, t Totals) *Features {
	parts := prepareParts(components, t, true)
	return &Features{parts, make([]part, len(parts))}
}

// LeaveOut sets dst[m × classes + c] to the tempered score of component m in class c, with
// totals from which a document of that class was taken; see Evidence.LeaveOut.
func (f *Features) LeaveOut(left Totals, class int, e *Evidence, dst []float64) {
	for i := range f.parts {
		f.left[i] = f.parts[i].without(left, class)
	}
	features(f.left, e, len(left.Classes), dst)
}

// features sets dst[m × classes + c] to the tempered score of component m in class c.
func features(parts []part, e *Evidence, classes int, dst []float64) {
	var m partMemory
	for i := range parts {
		p := &parts[i]
		values := p.scores(e, classes, &m)
		for k, component := range p.components {
			t := temper(len(e.Rows), p.gamma[k])
			for c := range classes {
				dst[component*classes+c] = t * values[k*classes+c]
			}
		}
	}
}

package calibration

// Mark is the term that most distinguishes a class from all others. Nothing learned tells
// whether models recognise the class or the mark.
type Mark struct {
	Term string // empty if there is none

	// Own and Others are the shares of the documents of the class, and of all others, that
	// have the term, 0 to 1.
	Own, Others float64
}

// narrowMark is the Lead from which a class is narrow. It is .83 and more for mail of lists,
// of one sender, of one campaign, or that are all replies, .6 for mail of all kinds.
const narrowMark = .8

// Lead returns by how much Own exceeds Others, 0 to 1.
func (m Mark) Lead() float64 { return m.Own - m.Others }

// Narrow reports whether nearly all documents of the class, and few others, have the
// mark: then the class was learned from few sources, or of one kind.
func (m Mark) Narrow() bool { return m.Lead() >= narrowMark }

// Independent returns how many of n documents of a class with this mark tell anything of
// documents of the class that were not learned: those beyond what the mark explains, but for the
// share hidden, and one for all that it explains.
func (m Mark) Independent(n uint64, hidden float64) float64 {
	return 1 + float64(n)*(1-m.Lead())*(1-hidden)
}

// Hides returns the share of others, the documents of all other classes, that tell nothing of
// documents of their classes that were not learned, since m, the mark of own documents, may be a mark
// of these too: of spam and a few newsletters the mark of spam is what newsletters lack, and other ham
// has it. For each document beyond what m explains it explains Lead/(1-Lead), and so the share is
// 1 - (1-Lead)/Lead, 0 where half have it; and at most 1 - others/own: as many others as own
// ones show what others are like.
func (m Mark) Hides(own, others uint64) float64 {
	return max(0, 1-max(float64(others)/float64(own), (1-m.Lead())/m.Lead()))
}

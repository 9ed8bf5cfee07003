package calibration

// Latest is the accuracy of the chosen model on the latest documents of the calibration
// sample. It is zero if the ledger does not say which are the latest.
type Latest struct {
	// Documents is their number, and Since the time when the first of them was learned, in
	// seconds since 1970.
	Documents int
	Since     uint64

	// Loss is their leave-one-out log loss, as in the sample; Before is their log loss with
	// only the documents learned before all of them; and Error is the standard error of the
	// difference.
	Loss, Before, Error float64
}

const (
	// unlikeLoss is the ratio of Before to Loss that indicates a change. The documents
	// learned before are four fifths of all, which by itself gives a ratio of 1.02 to 1.2 (20
	// Newsgroups, R8, SpamAssassin, short messages in random order).
	unlikeLoss = 1.5

	// unlikeErrors is the least difference of the two, in standard errors.
	unlikeErrors = 2
)

// Unlike reports whether the latest documents differ from those learned before them: then
// future documents may differ as much, and probabilities are less reliable.
func (l Latest) Unlike() bool {
	return l.Before > unlikeLoss*l.Loss && l.Before-l.Loss > unlikeErrors*l.Error
}

package calibration

// Latest says how well the model chosen answers the latest documents of the calibration
// sample. It is zero if the ledger does not tell which are the latest.
type Latest struct {
	// Documents is the number of them, and Since when the first of them was learned, in
	// seconds since 1970.
	Documents int
	Since     uint64

	// Loss is their log loss when each is scored as if it alone had not been learned, as
	// those of the sample are; Before is that by what had been learned before all of them;
	// and Error is the standard error of the difference.
	Loss, Before, Error float64
}

const (
	// unlikeLoss is how many times the loss a greater one must be to mean a change. What
	// had been learned before is four fifths of the documents, which alone brings the
	// loss to 1.02 to 1.2 times that of all (20 Newsgroups, R8, SpamAssassin, short
	// messages in random order).
	unlikeLoss = 1.5

	// unlikeErrors is the number of standard errors that must lie between the two.
	unlikeErrors = 2
)

// Unlike reports whether what had been learned before the latest documents did not prepare
// for them: the documents to come may be as unlike the sample, and answers less reliable than
// they say.
func (l Latest) Unlike() bool {
	return l.Before > unlikeLoss*l.Loss && l.Before-l.Loss > unlikeErrors*l.Error
}

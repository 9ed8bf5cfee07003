package decision

// Reason is why an answer is unsure.
type Reason string

// The reasons, in the order in which they are considered.
const (
	Sure           Reason = ""
	OneClass       Reason = "only one class was learned"       // nothing to distinguish it from
	Unlearned      Reason = "class looked for was not learned" // Positive has no documents
	NoKnownTerm    Reason = "no known term"                    // no class has a term or an attribute of the document
	Tie            Reason = "tie"                              // another class is as probable
	BelowThreshold Reason = "below threshold"                  // of Case.Decide
	TooDear        Reason = "every answer costs more"          // than Costs.Unsure
	UnknownRate    Reason = "rate not known yet"               // see FalsePositiveRate
	TooClose       Reason = "too close to call"                // neither yes nor no is worth its risk; see Filter
	Unearned       Reason = "precision not reached"            // see Precision
	Unmeasured     Reason = "precision not known yet"          // the models are not calibrated, or without some class; see Precision
	Contradiction  Reason = "evidence contradicts itself"      // see Filter
	Unread         Reason = "no text to read"                  // of a message: the header alone decides
	HeldBack       Reason = "held back by the rate"            // Positive is the most probable class, but not above the cut-off of FalsePositiveRate
)

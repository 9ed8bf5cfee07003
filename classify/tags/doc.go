// Package tags answers which tags a document has, of which it can have any number, or none.
//
// A Tagger is a classify.Classifier over a database of tags (classify.Options.Holds). A
// document is counted once, under the set of its tags (count.TagSet), and what is counted of
// a tag is the sum over the sets with it. So documents are learned, forgotten, moved and
// merged exactly as those of classes are. Each tag is judged against everything else that
// was counted: the documents that lack it, and those that were only observed.
//
// # From counts to a probability
//
// For each tag the log-odds that a document has it are
//
//	log-odds = log (n+1)/(N-n+1) + b + Σ_m w_m f_m
//
// where n of N documents have the tag. The f are model.Ratios of the tag against the rest,
// two of each group of fields too where documents have fields, and the score of a
// logistic regression of the terms for that tag (package layer). Weights and b are fitted
// for each tag to leave-one-out scores, around defaults that hold while it is new: its
// documents leave the counts of the tag and of all, the others those of all.
//
// # Silence
//
// A tag speaks, that is Score.Speaks is set, only where its log-odds exceed a cut beyond which
// enough leave-one-out answers were right: with 80 % confidence at least the share that
// Options.Precision asks for. So a new tag is silent, and Info says how many more examples
// it needs. The answers that a cut is chosen by come from weights that were fitted to the
// other half of the documents.
package tags

// Package tags predicts the tags of a document, which can have any number of them, or none.
//
// A Tagger answers from a classify.Classifier over a database of tags (classify.Options.Holds),
// which learns and fits as with classes: the class of a document is the set of its tags
// (count.TagSet). It is counted once, under that set, and the counts of a tag are the sum over
// the sets with it. So documents are learned, forgotten, moved and merged exactly. Each tag is
// compared with all other counted documents: those that lack it, and those that were only
// observed. Attributes are counted too, but no tag is judged by them.
//
// # From counts to a probability
//
// For each tag the log-odds that a document has it are
//
//	log-odds = log (n+1)/(N-n+1) + b + Σ_m w_m f_m
//
// where n of N documents have the tag. The f are scores of model.Ratio of the tag against the rest,
// two of them for each group of fields if documents have fields, and the score of a logistic
// regression of the terms for that tag (package layer). Weights and b are fitted for each tag
// to leave-one-out scores, with a prior around defaults, which a new tag uses. A left-out
// document is subtracted from the counts of all documents and, if it has the tag, of the tag.
//
// # Silence
//
// A tag speaks, that is Score.Speaks is set, only if its log-odds exceed a cut above which
// enough leave-one-out answers were right: with 80 % confidence at least the share
// that New was given. So a new tag is silent, and Info says how many more examples it
// needs. The answers from which a cut is chosen come from weights fitted to the other half
// of the documents.
package tags

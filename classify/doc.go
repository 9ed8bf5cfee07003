// Package classify answers which class a document belongs to, from the counts
// of a store.
//
// A Classifier is an open database with an analyzer. Text becomes a Document by
// Classifier.Document, a message by Document of package classify/mail; Train, Forget
// and Relabel move documents in and out of classes, each durable when the call
// returns; Classify and Explain answer from what is counted at that moment, by the
// event model that is asked for: one set of counts serves all of them, and no
// question needs retraining.
//
// # From counts to an answer
//
// The counts of a document's known terms are its Evidence (package model). Terms that no
// class has are left out, so that they favour no class, and a document without known terms
// has the prior.
//
// An event model (package model) gives each class a score: Multinomial, Bernoulli, DCM,
// Normalised and Complement give a log-likelihood, Ratio a mean log ratio of the terms that
// tell classes apart. A Stack weighs several of them:
//
//	score_c = v log prior_c + b_c + Σ_m w_m S_mc / n^γ_m
//
// and the posterior is the softmax of that. Auto, the default, is nearly always a Stack of
// six Ratios, Bernoulli and Normalised; of two Ratios for each group of fields (the text, the
// subject, people, the rest of a header) where documents have fields; and of a Layer, a
// linear model of the terms, where the ledger has all documents in full. These last two have
// a weight only once they were fitted. A model asked for by name is a Stack of one. The
// prior of a class adds one document to each; see decision.Prior.
//
// # Attributes
//
// A document may carry named values beside its words: categories, yes or no, and real
// numbers (Attribute). They are counted as exactly as terms. The event model Attributes
// reads them alone; the other models take each as a further component, which with
// Options.Raw is the mixed naive Bayes. A table without any text is classified by them
// alone.
//
// # Calibration
//
// Weights w and biases b are fitted by a logistic regression to the leave-one-out scores
// of learned documents: counts add, so that taking a document's own counts from its rows
// and its class is exact and needs no retraining. Training does this by itself as the
// database grows, on a sample bounded in size, and the database keeps the result (package
// calibration). The Layer is learned with it, from up to 32,768 documents, each of which has
// the scores that it got before it was learned. Weights have defaults before there are 20 documents, for models that were
// not calibrated, and when most documents of the calibration sample were forgotten. Where
// the ledger does not keep documents in full, the sample is of those that this process has
// trained. So posteriors depend on the counts and on the calibration sample.
// Classifier.Calibrate fits everything anew, the DCM too: where the ledger keeps all
// documents in full, posteriors then depend on the counts and the ledger alone.
//
// A decision (package decision) turns the posterior into an answer: MostProbable into the
// most probable class, LeastCost into the one of the least expected cost, FalsePositiveRate
// into a class only above the cut-off that keeps a target rate of false positives, and
// Filter into yes, no or unsure, also where good words were added to spam (package filter).
// An answer that should not be acted on has a Reason.
//
// # Beyond classes
//
// Package similar ranks documents by their similarity to a few given ones (Bayesian
// sets), package rule finds the header rule that a few messages have in common, package
// term measures how much a term tells of the class and how well its probabilities are
// known, and package overlap how similar the classes are by an attribute.
package classify

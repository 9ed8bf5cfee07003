// Package classify determines the class of a document from the counts of a store.
//
// A Classifier is an open database with an analyzer. Text becomes a Document by
// Classifier.Document, a message by Document of package classify/mail; Train, Forget and
// Relabel move documents in and out of classes, each durable when the call returns;
// Classify and Explain answer from the current counts, with the chosen event model: one
// set of counts serves all models, and no question needs retraining.
//
// # From counts to an answer
//
// The counts of a document's known terms are its Evidence (package model). Terms that no
// class has are left out, so that they favour no class, and a document without known terms
// has the prior.
//
// An event model (package model) gives each class a score: Multinomial, Bernoulli, DCM,
// Normalised and Complement give a log-likelihood, Ratio a mean log ratio of the terms
// that distinguish classes. A Stack is a weighted sum of several models:
//
//	score_c = v log prior_c + b_c + Σ_m w_m S_mc / n^γ_m
//
// and the posterior is the softmax of that. Auto, the default, is a Stack of
// six Ratios, Bernoulli and Normalised; of two Ratios for each group of fields (the text,
// the subject, people, the rest of a header) and for the channel, if documents have such; and
// of Layers, a linear model of the terms and one of the channel, if the ledger has all
// documents in full. The Ratios of fields and the Layers have a weight only after fitting. A
// model chosen by name is a Stack of one. The prior of a class adds one document to each; see
// decision.Prior.
//
// A decision (package decision) turns the posterior into an answer: MostProbable into the
// most probable class, LeastCost into the one of the least expected cost,
// FalsePositiveRate into a class only above the cut-off for a target false-positive rate,
// and Filter into yes, no or unsure, also for spam padded with good words
// (calibration.Bounds). An unsure answer has a Reason.
//
// # Attributes
//
// A document may have named values beside its words: categories, yes or no, and real
// numbers (count.Attribute). They are counted as exactly as terms. The event model Attributes
// reads only them; other models add each as a component, which with Options.Raw is mixed
// naive Bayes. A table without text is classified by attributes alone.
//
// # Calibration
//
// Weights w and biases b are fitted by a logistic regression to the leave-one-out scores of
// learned documents: counts are sums, so subtracting a document's own counts from its rows
// and its class is exact and needs no retraining. Training does this by itself as the
// database grows, on a sample of bounded size, and the database keeps the result (package
// calibration). The Layer is learned with it, from up to 32,768 documents. Answers are shrunk
// as long as few documents tell the scale of their log-odds (calibration.Model.Variance).
// Weights are defaults with fewer than 20 documents, for models that were not calibrated,
// and after most documents of the sample were forgotten. If the ledger does not keep
// documents in full, the sample is drawn from those that this process has trained.
// Classifier.Calibrate fits everything again: if the ledger keeps all documents in full,
// posteriors then depend only on the counts and the ledger.
//
// # Recent lessons
//
// With two classes a document for which the answer was wrong, or not sure, when it was learned
// corrects the answers for documents that resemble it from the next question on, as far as such
// corrections have helped before (Explanation.Recent). The database keeps the corrections of up
// to 512 documents, each as long as its document is learned. Classifier.Calibrate drops all of
// them. Learning more than 64 documents at once makes none, nor does a database that follows a log.
package classify

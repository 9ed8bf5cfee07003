// Package classify answers which class a document belongs to, from the counts
// of a store.
//
// A Classifier is an open database with an analyzer. Text becomes a Document by
// Classifier.Document; Train, Forget and Relabel move documents in and out of
// classes, each durable when the call returns; Classify and Explain answer from
// what is counted at that moment, by the event model that is asked for: one set
// of counts serves all of them, and no question needs retraining.
//
// An event model gives each class a log-likelihood. Probabilities exist only in
// the answer: they are exp(log prior + log-likelihood), made to sum to 1. Terms
// that no class has are left out, so that an unknown word votes for nobody, and
// a document without known terms gets the prior.
package classify

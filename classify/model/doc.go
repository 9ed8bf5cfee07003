// Package model has the event models: ways to read the counts of a database as the
// probability of a document in each class.
//
// An EventModel is prepared for the Totals of the classes and gives a Scorer, which
// scores the Evidence: one document with what was counted of its terms and attributes.
// Multinomial, Bernoulli, DCM, Normalised, Complement and Ratio read terms, Attributes
// reads named values, and a Stack weighs the scores of several. Counts come through a
// Reader; nothing here knows how they are kept, nor text.
//
// Evidence.LeaveOut and Features score a learned document as if it had never been
// learned. A Cache keeps what the terms of the last documents contribute to a Stack.
package model

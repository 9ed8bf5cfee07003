// Package filter decides whether a document is of one class: yes, no or unsure.
//
// A [Zone] is an interval of log-odds where neither yes nor no is worth its risk. It is
// chosen by the leave-one-out log-odds of learned documents and the [Costs] of answers.
//
// A document can also contradict itself. Words of honest mail can be added to spam until
// the sum over all terms says ham, but the terms that made it spam are still there.
// [Evidence] takes the strongest terms, and those of fields, apart from the sum, and
// [Bounds] are the values of it that few documents of other classes exceed.
//
// The package reads numbers alone: it knows no counts, models or texts.
package filter

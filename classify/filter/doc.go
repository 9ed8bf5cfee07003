// Package filter decides whether a document is of one class: yes, no or unsure.
//
// A [Zone] is an interval of log-odds in which neither yes nor no is worth its risk. It is
// chosen from the leave-one-out log-odds of learned documents and the [Costs] of answers.
//
// A document can also contradict itself. Spam can be padded with words of legitimate mail
// until the sum over all terms says ham, but its spam terms are still there. [Evidence]
// summarizes the strongest terms, the terms of fields, and those of the text, separately from the sum, and
// [Bounds] are the values of it that few documents of other classes exceed.
//
// The package works on numbers: it knows no counts, models or texts.
package filter

// Package filter is about questions with three answers: is a document of one class, is it
// not, or is that unsure.
//
// A [Zone] is where neither answer is worth its risk. It comes from log-odds that
// documents of known classes got without their own help, and from the [Costs] of answers.
//
// A document can also contradict itself. Whoever writes spam can add words of honest mail
// until the sum of all terms says ham, but the terms that made it spam are still there.
// [Evidence] looks at them apart from the rest, and [Bounds] are what honest documents
// reach by it.
//
// The package reads numbers alone: it knows no counts, models or texts.
package filter

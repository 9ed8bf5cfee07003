// Package decisions keeps the last answers of a daemon in files beside its database, with
// the counts of each message, so that one that was wrong can be taught right by its id,
// without the message.
//
// What is kept of an answer is backend.Decision, the terms of the message with their counts
// and, if the Options say so, the beginning of the message. The files have mode 0600 and a
// bounded size: the newer half of it is in the file itself, the older in one with .old at its
// end, which the next takes the place of. They are no part of the database and may be removed
// at any time; what is damaged in them is dropped.
package decisions

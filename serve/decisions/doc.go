// Package decisions keeps the last answers of a daemon in files beside its database, with
// the counts of each message, so that a wrong answer can be corrected by its id, without
// the message.
//
// Of an answer a Ring keeps the backend.Decision, the terms of the message with their counts
// and, if the Options say so, the beginning of the message. The files have mode 0600 and a
// bounded size: the newer half is in the file itself, the older half in a file with the
// suffix .old, which the next one replaces. They are not part of the database and may be
// removed at any time; damaged records are dropped.
package decisions

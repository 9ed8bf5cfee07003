// Package store keeps the counts of a document classifier in one bbolt file.
//
// A document is a set of terms with their counts, some named values, its attributes, and
// a class. A database is the sum of its documents: for each class and term the histogram
// of occurrences and the sum of weights, for each class the histogram of lengths, all
// integers, and for each class and attribute the documents by value or the sums of the
// values and of their squares, without rounding (count.Exact): so that any order and any
// grouping of training gives the same counts and forgetting subtracts exactly what
// training has added. The package knows no probability and no text.
//
// There are four types to know. A DB is an open file. A Delta is the change that a set of
// documents makes to the counts; Apply makes it durable, all of it or nothing. A Snapshot
// reads the counts as of one moment while training goes on. A count.Document is given to
// a Delta, and given back by the ledger.
//
// Databases on several machines stay equal if each follows one log of Deltas that
// somebody else keeps (DB.Follow, DB.ApplyLog): a follower is changed only by the log,
// stores its position in the transaction that applies a Delta, and passes over Deltas
// that the counts do not allow.
//
// One training writes one log record and waits for the disk. The counts are read from
// immutable tables in the mapped file; the terms of records that are not in the tables
// yet are held beside them in memory. The tables are brought up to date a few at a time
// inside later trainings, never by a goroutine behind the caller's back. The counts of
// attributes, of which a document has few, are changed in place with each record. One
// process at a time may change the file, and others read it whenever nothing is being
// committed. Prune drops terms, which cannot be undone. The bytes are described in
// FORMAT.md.
package store

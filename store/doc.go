// Package store keeps the counts of a document classifier in one bbolt file.
//
// A document is a set of terms with their counts, some named values, its attributes, and a
// class. A database is the sum of its documents, in integers and exact sums (count.Exact): any
// order and any grouping of training gives the same counts, and forgetting subtracts exactly
// what training has added. The package knows no probability and no text.
//
// There are four types to know. A DB is an open file. A Delta is the change that a set of
// documents makes to the counts; Apply makes it durable, all of it or nothing. A Snapshot
// reads the counts as of one moment while training goes on. A count.Document is given to a
// Delta, and given back by the ledger.
//
// Databases on several machines stay equal if each follows one log of Deltas that somebody
// else keeps; see DB.Follow.
//
// One training writes one log record and waits for the disk. The counts are read from
// immutable tables in the mapped file; the terms of records that are not in the tables yet are
// held in memory, and later trainings bring the tables up to date, a few at a time. The counts
// of attributes, of which a document has few, are changed in place. One process at a time may
// change the file, and others read it whenever nothing is being committed. FORMAT.md describes
// the bytes.
package store

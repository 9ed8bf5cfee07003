// Package table holds the count table of polya: an immutable hash table from a
// term to its row, the counts of that term in each class that has it.
//
// A table is a slice of bytes and nothing else. It is built in one go by a
// Builder, read in place by Table, and never changed. The package knows no
// database, no transaction and no class name; store keeps each table as one
// value of its file and reads it straight from the mapping. The bytes are
// described in store/FORMAT.md.
//
// Reading never trusts the bytes: a damaged table gives ErrCorrupt or a wrong
// answer that Check finds, never a panic.
package table

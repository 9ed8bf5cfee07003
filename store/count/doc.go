// Package count defines what a database counts: documents, terms, classes and attributes,
// the sums over them, and how large each can be. It does no input or output, and knows
// neither how the counts are kept nor what is computed from them.
//
// A Document is given to a database, and given back by its ledger. A Class holds the sums over
// the documents of one class, a Cell those of one term in a class, and an AttributeTotals
// those of one attribute. All sums are integers or Exact, so that any order and any grouping
// of documents gives the same sums, and taking a document away leaves no trace of it.
package count

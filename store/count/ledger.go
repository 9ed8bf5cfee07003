package count

import (
	"fmt"
	"slices"
	"strconv"
)

// Ledger selects what a database keeps of each document once its counts are in
// the tables.
type Ledger uint8

const (
	// LedgerFull keeps the counts: a document is forgotten or moved exactly
	// without its text. About 1.5 KB a message.
	LedgerFull Ledger = 1

	// LedgerDigest keeps the class, time, source and a digest of the counts: nothing is
	// learned twice, and forgetting needs the text, which must give exactly the counts that
	// were learned. About 50 bytes a message.
	LedgerDigest Ledger = 2

	// LedgerNone keeps nothing: a document given twice is learned twice, and
	// forgetting trusts the text as long as the counts allow it.
	LedgerNone Ledger = 3
)

var ledgerNames = [...]string{LedgerFull: "full", LedgerDigest: "digest", LedgerNone: "none"}

// String returns the mode's name: full, digest or none.
func (l Ledger) String() string {
	if l.Valid() {
		return ledgerNames[l]
	}
	return "ledger mode " + strconv.Itoa(int(l))
}

// ParseLedger reads what String returns.
func ParseLedger(name string) (Ledger, error) {
	if l := Ledger(slices.Index(ledgerNames[:], name)); l.Valid() {
		return l, nil
	}
	return 0, fmt.Errorf("ledger mode %.40q: %w: want full, digest or none", name, ErrInvalid)
}

// Valid reports whether l is one of the modes.
func (l Ledger) Valid() bool { return l >= LedgerFull && l <= LedgerNone }

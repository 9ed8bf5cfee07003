package store

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/count"
)

var (
	stateKeys  = []string{"fit", "x", "long key of the state"}
	simClasses = []string{"ham", "spam", "work", "née \\"}
)

const simDocs = 40

// simDocument is one of a small universe, so that requests meet.
func simDocument(i, version int, class string) count.Document {
	d := simAttributed(i, version, class)
	copy(d.ID[:], fmt.Sprintf("document%08d", i))
	return d
}

func drawOp(t *rapid.T, s *sim) simOp {
	kind := rapid.SampledFrom([]string{"add", "add", "add", "new", "take", "take", "move", "forget", "relabel"}).Draw(t, "kind")
	var doc count.Document
	if len(s.untracked) > 0 && kind == "take" && !s.pruned && rapid.Bool().Draw(t, "untracked") {
		return simOp{kind, s.untracked[rapid.IntRange(0, len(s.untracked)-1).Draw(t, "untracked doc")]}
	}
	i := rapid.IntRange(0, simDocs-1).Draw(t, "doc")
	doc = simDocument(i, rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "version"), rapid.SampledFrom(simClasses).Draw(t, "class"))
	if old, known := s.docs[doc.ID]; known && rapid.IntRange(0, 3).Draw(t, "as learned") > 0 {
		class := doc.Class
		doc, doc.Class = s.text(doc.ID), old.Class
		if kind != "take" {
			doc.Class = class
		}
	}
	if kind == "take" {
		if _, known := s.docs[doc.ID]; !known && s.pruned {
			// What was dropped may be what it asks to have back.
			return simOp{"forget", doc}
		} else if !known {
			// That a document which nobody learned is refused is sure only if it
			// has a term that nobody has.
			doc.Terms = append(slices.Clone(doc.Terms), count.TermCount{Term: []byte("nobody learned this"), N: 1})
		}
		if rapid.IntRange(0, 9).Draw(t, "any class") == 0 {
			doc.Class = ""
		}
	}
	return simOp{kind, doc}
}

func drawKeep(t *rapid.T) count.Ledger {
	return rapid.SampledFrom([]count.Ledger{0, 0, 0, 0, 0, count.LedgerFull, count.LedgerDigest, count.LedgerNone}).Draw(t, "keep")
}

// drawOps draws ops of which each is possible after those before it,
// except perhaps the last.
func drawOps(t *rapid.T, s *sim, n int, keep count.Ledger) []simOp {
	var ops []simOp
	now := s.clone()
	for range n {
		o := drawOp(t, now)
		next := now.clone()
		if _, err := next.apply([]simOp{o}, keep); err != nil {
			if rapid.IntRange(0, n).Draw(t, "keep impossible") > 0 {
				continue
			}
		} else {
			now = next
		}
		ops = append(ops, o)
	}
	return ops
}

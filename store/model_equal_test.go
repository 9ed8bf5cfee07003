package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// dump is model.dump with the ledger.
func (s *sim) dump() string {
	out := s.model.dump(s.analyzer)
	classes := map[string]int{}
	for _, d := range slices.Concat(slices.Collect(maps.Values(s.docs)), s.untracked) {
		classes[d.Class] = 0
	}
	for i, name := range slices.Sorted(maps.Keys(classes)) {
		classes[name] = i
	}
	for _, id := range layout.InOrder(s.docs) {
		d := s.text(id)
		terms := slices.Clone(d.Terms)
		slices.SortFunc(terms, func(a, b count.TermCount) int { return bytes.Compare(a.Term, b.Term) })
		kind, tail := "document", ""
		for _, t := range terms {
			tail += fmt.Sprintf("\t%d=%s", t.N, dump.Escape(string(t.Term)))
		}
		for _, p := range d.Dropped {
			tail += fmt.Sprintf("\t%d*%d", p.N, p.Count)
		}
		tail += attributeTail(d)
		if s.keep[id] == count.LedgerDigest {
			kind, tail = "digest", fmt.Sprintf("\t%x", digestOf(d))
		}
		out += fmt.Sprintf("%s\t%x\t%d\t%d\t%s%s\n", kind, id[:], classes[d.Class], d.Time.Unix(), dump.Escape(d.Source), tail)
	}
	return out
}

// digestOf is the digest of a document that no terms were dropped from.
func digestOf(d count.Document) []byte {
	terms := slices.Clone(d.Terms)
	slices.SortFunc(terms, func(a, b count.TermCount) int { return bytes.Compare(a.Term, b.Term) })
	prefixed, last := []byte(nil), ""
	for _, t := range terms {
		shared := 0
		for shared < min(len(last), len(t.Term)) && last[shared] == t.Term[shared] {
			shared++
		}
		last = string(t.Term)
		prefixed = append(append(append(prefixed, byte(shared), byte(len(last)-shared)), last[shared:]...), t.N)
	}
	sum := sha256.Sum256(append(prefixed, encodedAttributes(d)...))
	return sum[:8]
}

// mustEqualSim compares dumps with ledgers, position and state.
func mustEqualSim(t rapid.TB, db *DB, s *sim) {
	t.Helper()
	mustEqualText(t, withoutEpochs(dumpBody(dumpOf(t, db, true))), s.dump())
	err := db.View(func(snap *Snapshot) error {
		if p, err := snap.Position(); err != nil || p != s.position {
			t.Fatalf("position %d, %v, want %d", p, err, s.position)
		}
		for _, key := range stateKeys {
			if got := string(snap.State(key)); got != s.state[key] {
				t.Fatalf("state %q is %q, want %q", key, got, s.state[key])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withoutEpochs drops from a dump the epochs of rows and digests, which
// the model does not know: what they are for, it does.
func withoutEpochs(text string) string {
	for _, part := range []string{`(?m)^epoch\t.*\n`, `(?m)^(term\t[^\t]*)\t@\d+`, `(?m)^(digest(?:\t[^\t\n]*){5})\t\d+$`} {
		text = regexp.MustCompile(part).ReplaceAllString(text, "$1")
	}
	return text
}

func mustEqualText(t rapid.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("dump differs in line %d:\n got %q\nwant %q", i+1, g[i], w[i])
		}
	}
	t.Fatalf("dump has %d lines, want %d", len(g), len(w))
}

// mustHoldNoOrphans checks what Check cannot know: that no log record outlives
// its ledger entry.
func mustHoldNoOrphans(t rapid.TB, db *DB) {
	t.Helper()
	db.file.View(func(tx *bolt.Tx) error {
		base, err := layout.Tx{Tx: tx}.Corpus()
		if err != nil {
			t.Fatal(err)
		}
		owned := map[uint64]bool{}
		tx.Bucket(stored.BucketLedger).ForEach(func(k, v []byte) error {
			if e, err := stored.DecodeEntry(k, v); err == nil && e.Keep == count.LedgerFull {
				owned[e.Seq] = true
			}
			return nil
		})
		return tx.Bucket(stored.BucketLog).ForEach(func(k, _ []byte) error {
			if seq := stored.DecodeSeq(k); seq <= base.Merged && !owned[seq] {
				t.Fatalf("log record %d belongs to no ledger entry", seq)
			}
			return nil
		})
	})
}

// sameError reports whether got is what want is.
func sameError(got, want error) bool {
	if kind, ok := want.(*count.AttributeError); ok {
		var have *count.AttributeError
		return errors.As(got, &have) && *have == *kind
	}
	return errors.Is(got, want) && (got == nil) == (want == nil)
}

func throughWire(t rapid.TB, d *Delta) *Delta {
	t.Helper()
	b, err := d.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Delta
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if again, _ := back.MarshalBinary(); !bytes.Equal(b, again) {
		t.Fatal("a Delta changes on its way through the wire form")
	}
	return &back
}

// mustBeOneLine checks the shape of an error that users see.
func mustBeOneLine(t rapid.TB, err error, path string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	text := err.Error()
	if strings.ContainsAny(text, "\n\r") {
		t.Errorf("more than one line: %q", text)
	}
	if !strings.HasPrefix(text, path+": ") {
		t.Errorf("does not begin with the path: %q", text)
	}
	if strings.Count(text, path) > 1 {
		t.Errorf("names the path twice: %q", text)
	}
	if len(text) > len(path)+400 {
		t.Errorf("long: %q", text)
	}
}

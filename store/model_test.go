package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"one": func(t *rapid.T) {
			keep := drawKeep(t)
			m.request([]simOp{drawOp(t, m.sim)}, keep, 0, rapid.Bool().Draw(t, "wire"))
		},
		"add": func(t *rapid.T) {
			i := rapid.IntRange(0, simDocs-1).Draw(t, "doc")
			m.request([]simOp{{"add", simDocument(i, 0, rapid.SampledFrom(simClasses).Draw(t, "class"))}}, 0, 0, false)
		},
		"few": func(t *rapid.T) {
			keep := drawKeep(t)
			m.request(drawOps(t, m.sim, rapid.IntRange(2, 12).Draw(t, "n"), keep), keep, 0, rapid.Bool().Draw(t, "wire"))
		},
		"many": func(t *rapid.T) {
			keep := drawKeep(t)
			m.request(drawOps(t, m.sim, rapid.IntRange(20, 40).Draw(t, "n"), keep), keep, 0, rapid.Bool().Draw(t, "wire"))
		},
		"at": func(t *rapid.T) {
			n := rapid.SampledFrom([]int{1, 3, 30}).Draw(t, "n")
			position := m.position + uint64(rapid.IntRange(0, 3).Draw(t, "ahead"))
			m.request(drawOps(t, m.sim, n, 0), 0, max(position, 1), false)
		},
		"give back": func(t *rapid.T) {
			// Of documents that nobody knows, so that taking them gives back
			// the state before.
			var ops, back []simOp
			keep := drawKeep(t)
			if m.pruned && cmp.Or(keep, m.mode) == count.LedgerNone {
				return // nobody knows of what is known to no ledger when it was learned
			}
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, simDocs-1), 1, 30, rapid.ID).Draw(t, "docs") {
				o := simOp{"add", simDocument(i, 0, "ham")}
				if _, known := m.docs[o.doc.ID]; !known && !hasChanging(o.doc) {
					ops = append(ops, o)
					back = append(back, simOp{"take", o.doc})
				}
			}
			before := m.sim
			m.request(ops, keep, 0, false)
			mustEqualSim(m.t, m.db, m.sim)
			d := Delta{Keep: keep}
			for _, o := range slices.Backward(back) {
				if err := o.addTo(&d); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := m.db.Apply(throughWire(m.t, &d)); err != nil {
				t.Fatal(err)
			}
			m.sim = before
		},
		"group": m.group,
		"state": func(t *rapid.T) {
			values := map[string][]byte{}
			for _, key := range stateKeys {
				switch rapid.IntRange(0, 2).Draw(t, key) {
				case 0:
					values[key] = []byte(rapid.String().Draw(t, "value") + "x")
					m.state[key] = string(values[key])
				case 1:
					values[key] = nil
					delete(m.state, key)
				}
			}
			if err := m.db.PutState(values); err != nil {
				t.Fatal(err)
			}
		},
		"rename": func(t *rapid.T) {
			from := rapid.SampledFrom(simClasses).Draw(t, "from")
			to := rapid.SampledFrom(simClasses).Draw(t, "to")
			m.rename(from, to)
		},
		"merge classes": func(t *rapid.T) {
			m.mergeClass(rapid.SampledFrom(simClasses).Draw(t, "from"), rapid.SampledFrom(simClasses).Draw(t, "into"))
		},
		"delete": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
				return
			}
			m.deleteClass(rapid.SampledFrom(simClasses).Draw(t, "class"))
		},
		"merge": func(t *rapid.T) { m.merge(t) },
		"load": func(t *rapid.T) {
			ledger := rapid.Bool().Draw(t, "ledger")
			other := m.fresh(Options{Analyzer: "a", Ledger: rapid.SampledFrom([]count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone}).Draw(t, "mode")})
			defer other.Close()
			text := dumpOf(m.t, m.db, ledger)
			a, err := other.Load(context.Background(), false, strings.NewReader(text))
			if err != nil {
				m.t.Fatal(err)
			}
			if want := (Applied{Learned: len(m.docs) + len(m.untracked)}); !reflect.DeepEqual(a, want) {
				m.t.Fatalf("loaded %+v, want %+v", a, want)
			}
			mustEqualText(m.t, dumpOf(m.t, other, ledger), text)
			if ledger {
				mustEqualText(m.t, dumpOf(m.t, other, false), dumpOf(m.t, m.db, false))
			}
			mustCheck(m.t, other)
			mustHoldNoOrphans(m.t, other)
		},
		"backup": func(t *rapid.T) {
			var b bytes.Buffer
			if n, err := m.db.Backup(t.Context(), &b); err != nil || n != int64(b.Len()) {
				m.t.Fatal(n, err)
			}
			m.dirs++
			path := fmt.Sprintf("%s.%d", m.path, m.dirs)
			if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
				m.t.Fatal(err)
			}
			other, err := Open(path, tuned(t, Options{ReadOnly: rapid.Bool().Draw(t, "read only")}))
			if err != nil {
				m.t.Fatal(err)
			}
			defer other.Close()
			mustEqualSim(m.t, other, m.sim)
			mustCheck(m.t, other)
		},
		"compact": func(t *rapid.T) {
			if err := m.db.Compact(t.Context()); err != nil {
				m.t.Fatal(err)
			}
			if _, err := os.Stat(m.path + ".compact"); !errors.Is(err, os.ErrNotExist) {
				m.t.Fatal("compaction leaves its copy behind")
			}
		},
		"prune":  func(t *rapid.T) { m.prune(t) },
		"reopen": func(t *rapid.T) { m.close(); m.open() },
		"kill": func(t *rapid.T) {
			// The process goes without closing the file: what is in it is all that
			// the next one has.
			b, err := os.ReadFile(m.path)
			if err != nil {
				m.t.Fatal(err)
			}
			m.goOnWith(b)
		},
		"restore": func(t *rapid.T) {
			var b bytes.Buffer
			if _, err := m.db.Backup(t.Context(), &b); err != nil {
				m.t.Fatal(err)
			}
			m.goOnWith(b.Bytes())
		},
		"stay": func(t *rapid.T) {
			// A reader sees the same whatever is done meanwhile.
			err := m.db.View(func(s *Snapshot) error {
				n, before := s.Documents(), scanText(m.t, s)
				keep := drawKeep(t)
				m.request(drawOps(t, m.sim, rapid.IntRange(1, 30).Draw(t, "n"), keep), keep, 0, false)
				if rapid.Bool().Draw(t, "compact") {
					if err := m.db.Compact(t.Context()); err != nil {
						return err
					}
				}
				if s.Documents() != n {
					return fmt.Errorf("%d documents after %d", s.Documents(), n)
				}
				mustEqualText(m.t, scanText(m.t, s), before)
				return nil
			})
			if err != nil {
				m.t.Fatal(err)
			}
		},
		"": func(t *rapid.T) {
			mustEqualSim(m.t, m.db, m.sim)
			if rapid.IntRange(0, 3).Draw(t, "check") == 0 {
				mustCheck(m.t, m.db)
				mustHoldNoOrphans(m.t, m.db)
			}
		},
	}
}

// Any sequence of requests leaves what the rules say, in every ledger mode, and
// a request that fails changes nothing.
func TestModel(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		t.Run(mode.String(), func(t *testing.T) {
			shortTails(t)
			fast(t)
			rapid.Check(t, func(rt *rapid.T) {
				dir, err := os.MkdirTemp("", "polya")
				if err != nil {
					rt.Fatal(err)
				}
				defer os.RemoveAll(dir)
				m := &machine{sim: newSim(mode), t: rt, path: filepath.Join(dir, "m.polya"), o: Options{Analyzer: "a", Ledger: mode}}
				m.open()
				defer func() { m.db.Close() }()
				rt.Repeat(m.actions())
				m.close()
				m.open()
				mustEqualSim(rt, m.db, m.sim)
				mustCheck(rt, m.db)
				mustHoldNoOrphans(rt, m.db)
			})
		})
	}
}

package store

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/dump"
)

// open opens a database in a folder of its own, or at path, and checks it at
// the end of the test.
func open(t *testing.T, path string, o Options) *DB {
	t.Helper()
	db, err := Open(path, tuned(t, o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		o.ReadOnly, o.Timeout = false, 0
		again, err := Open(path, tuned(t, o))
		if err != nil {
			t.Errorf("opening again: %v", err)
			return
		}
		defer again.Close()
		mustCheck(t, again)
	})
	return db
}

func tempDB(t *testing.T) string { return filepath.Join(t.TempDir(), "test.polya") }

func mustCheck(t rapid.TB, db *DB) Report {
	t.Helper()
	r, err := db.Check(context.Background(), func(p error) { t.Errorf("check: %v", p) })
	if err != nil {
		t.Errorf("check: %v", err)
	}
	return r
}

func dumpOf(t rapid.TB, db *DB, ledger bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := db.Dump(context.Background(), &b, ledger); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sample returns document i of an endless, fixed series, with terms of all
// kinds: frequent and rare ones, repeated ones, odd bytes.
func sample(i int, class string) count.Document {
	d := plain(i, class)
	for k := range i * 7 % 4 {
		d.Terms = append(d.Terms, count.TermCount{Term: fmt.Appendf(nil, "\x01channel%d", (i+13*k)%40), N: uint8(1 + k%2)})
	}
	return d
}

// plain is sample without terms of a channel, as old databases have it.
func plain(i int, class string) count.Document {
	h := uint64(i)*0x9e3779b97f4a7c15 + 1
	next := func(n int) int {
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 32
		return int(h % uint64(n))
	}
	counts := map[string]int{}
	for range next(12) {
		counts[fmt.Sprintf("common%d", next(8))] += 1 + next(3)
	}
	for range next(12) {
		counts[fmt.Sprintf("term%d", next(400))] += 1 + next(2)
	}
	if next(4) == 0 {
		counts["odd\t\\\x00\xff"+string(rune('a'+next(26)))] = 255
	}
	return document(i, class, counts)
}

func document(i int, class string, counts map[string]int) count.Document {
	d := count.Document{Class: class, Time: time.Unix(int64(1e9+i), 0), Source: fmt.Sprintf("source%d", i%3)}
	copy(d.ID[:], fmt.Sprintf("document%08d", i))
	for term, n := range counts {
		d.Terms = append(d.Terms, count.TermCount{Term: []byte(term), N: uint8(min(n, count.MaxCount))})
	}
	return d
}

func add(t rapid.TB, db *DB, docs ...count.Document) Applied {
	t.Helper()
	var d Delta
	for _, doc := range docs {
		if err := d.Add(doc); err != nil {
			t.Fatal(err)
		}
	}
	a, err := db.Apply(&d)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// model is a database as plain maps: what the dump must be is summed from its
// documents by the definitions of DESIGN section 2, and by none of our code.
type model struct {
	docs      map[count.DocID]count.Document // that the ledger knows
	untracked []count.Document               // that it does not
}

func (m *model) dump(analyzer string) string {
	classes := map[string][]count.Document{}
	for _, d := range m.docs {
		classes[d.Class] = append(classes[d.Class], d)
	}
	for _, d := range m.untracked {
		classes[d.Class] = append(classes[d.Class], d)
	}
	names := make([]string, 0)
	for name := range classes {
		names = append(names, name)
	}
	sort.Strings(names)
	lines := []string{"polya-dump\t1", "analyzer\t" + dump.Escape(analyzer)}
	rows := map[string]string{}
	var head []string
	for k, name := range names {
		tokens, weight := 0, uint64(0)
		dropped, droppedWeight := uint64(0), uint64(0)
		lengths := map[int]int{}
		df := map[string][]int{}
		w := map[string]uint64{}
		for _, d := range classes[name] {
			n, norm := 0, 0.0
			for _, t := range d.Terms {
				if t.Term[0] == 1 {
					continue
				}
				n += int(t.N)
				l := math.Floor(math.Log(1+float64(t.N))*65536 + .5)
				norm += l * l
			}
			for _, p := range d.Dropped {
				n += int(p.N * p.Count)
				l := math.Floor(math.Log(1+float64(p.N))*65536 + .5)
				norm += float64(p.Count) * l * l
			}
			for _, p := range d.Dropped {
				l := math.Floor(math.Log(1+float64(p.N))*65536 + .5)
				wt := p.Count * uint64(math.Floor(l*65536/math.Sqrt(norm)+.5))
				dropped, droppedWeight, weight = dropped+p.N*p.Count, droppedWeight+wt, weight+wt
			}
			tokens += n
			lengths[n]++
			for _, t := range d.Terms {
				u := df[string(t.Term)]
				for len(u) < int(t.N) {
					u = append(u, 0)
				}
				for j := range int(t.N) {
					u[j]++
				}
				df[string(t.Term)] = u
				l := math.Floor(math.Log(1+float64(t.N))*65536 + .5)
				wt := uint64(math.Floor(l*65536/math.Sqrt(norm) + .5))
				if t.Term[0] == 1 {
					wt = 0
				}
				w[string(t.Term)] += wt
				weight += wt
			}
		}
		head = append(head, fmt.Sprintf("class\t%s\t%d\t%d\t%d", dump.Escape(name), len(classes[name]), tokens, weight))
		line := "lengths"
		var ns []int
		for n := range lengths {
			ns = append(ns, n)
		}
		sort.Ints(ns)
		for _, n := range ns {
			line += fmt.Sprintf("\t%d:%d", n, lengths[n])
		}
		head = append(head, line)
		if dropped > 0 {
			head = append(head, fmt.Sprintf("dropped\t%d\t%d", dropped, droppedWeight))
		}
		for term, u := range df {
			cell := fmt.Sprintf("\t%d=%d", k, w[term])
			for _, x := range u {
				cell += fmt.Sprintf(",%d", x)
			}
			rows[term] += cell
		}
	}
	vocabulary := len(rows)
	for term := range rows {
		if term[0] == 1 {
			vocabulary--
		}
	}
	lines = append(lines, fmt.Sprintf("vocabulary\t%d", vocabulary))
	lines = append(lines, head...)
	terms := make([]string, 0, len(rows))
	for term := range rows {
		terms = append(terms, term)
	}
	sort.Strings(terms)
	for _, term := range terms {
		lines = append(lines, "term\t"+dump.Escape(term)+rows[term])
	}
	lines = append(lines, attributeLines(classes)...)
	out := ""
	for _, l := range lines {
		out += l + "\n"
	}
	return out
}

// body is a dump without its last line, the checksum.
func dumpBody(s string) string {
	return s[:len(s)-len("end\t00000000\n")]
}

func mustEqualModel(t rapid.TB, db *DB, m *model) {
	t.Helper()
	got, want := dumpBody(dumpOf(t, db, false)), m.dump(db.Analyzer())
	if got != want {
		g, w := bytes.Split([]byte(got), []byte("\n")), bytes.Split([]byte(want), []byte("\n"))
		for i := range min(len(g), len(w)) {
			if !bytes.Equal(g[i], w[i]) {
				t.Fatalf("dump differs in line %d:\n got %q\nwant %q", i+1, g[i], w[i])
			}
		}
		t.Fatalf("dump has %d lines, want %d", len(g), len(w))
	}
}

// Any order and any grouping of the same documents gives the same dump, at any
// state of merging.
func TestAnyOrderAnyGrouping(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	const n = 150
	m := &model{docs: map[count.DocID]count.Document{}}
	docs := make([]count.Document, n)
	for i := range docs {
		docs[i] = sample(i, []string{"ham", "spam", "work"}[i%3])
		m.docs[docs[i].ID] = docs[i]
	}
	groups := []int{1, 2, 7, 19, 20, 64, n}
	if testing.Short() {
		groups = []int{7, 20, n}
	}
	for _, group := range groups {
		for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
			t.Run(fmt.Sprint(group, ledger), func(t *testing.T) {
				db := open(t, tempDB(t), Options{Analyzer: "a", Ledger: ledger})
				order := slices.Clone(docs)
				step := 1 + 2*group%n
				for step == 0 || gcd(step, n) != 1 {
					step++
				}
				for i := range order {
					order[i] = docs[(i*step+group)%n]
				}
				for c := range slices.Chunk(order, group) {
					add(t, db, c...)
				}
				mustEqualModel(t, db, m)
				mustCheck(t, db)
			})
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Training and forgetting gives back the dump before, by each way of
// forgetting, while the tables are merged in between.
func TestTrainThenForget(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		t.Run(ledger.String(), func(t *testing.T) {
			db := open(t, tempDB(t), Options{Ledger: ledger})
			for i := range 40 {
				add(t, db, sample(i, "ham"))
			}
			before := dumpOf(t, db, true)
			var d, back Delta
			for i := 40; i < 90; i++ {
				doc := sample(i, []string{"ham", "spam"}[i%2])
				if err := back.Take(doc); err != nil {
					t.Fatal(err)
				}
				if err := d.Add(doc); err != nil {
					t.Fatal(err)
				}
				if i%3 == 0 {
					if _, err := db.Apply(&d); err != nil {
						t.Fatal(err)
					}
					if i%2 == 0 {
						for k := 200; k < 212; k++ {
							add(t, db, sample(k, "other"))
						}
						var others Delta
						for k := 200; k < 212; k++ {
							others.Take(sample(k, "other"))
						}
						if _, err := db.Apply(&others); err != nil {
							t.Fatal(err)
						}
					}
					if _, err := db.Apply(&back); err != nil {
						t.Fatal(err)
					}
					d = Delta{Keep: d.Keep, OnlyNew: d.OnlyNew}
					back = Delta{}
					if after := dumpOf(t, db, true); after != before {
						t.Fatalf("after forgetting document %d the dump differs", i)
					}
				}
			}
			mustCheck(t, db)
		})
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv("POLYA_STORE_FOLLOW"); path != "" {
		followUntilKilled(path)
		return
	}
	if path := os.Getenv("POLYA_STORE_TRAIN"); path != "" {
		trainUntilKilled(path)
		return
	}
	if path := os.Getenv("POLYA_STORE_PRUNE"); path != "" {
		pruneUntilKilled(path)
		return
	}
	if path := os.Getenv("POLYA_STORE_HOLD"); path != "" {
		holdUntilTold(path)
		return
	}
	flag.Set("rapid.checks", "15")
	flag.Set("rapid.nofailfile", "true")
	os.Exit(m.Run())
}

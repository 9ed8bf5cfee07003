//go:build linux

package fleet

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	mime "github.com/polya-classifier/polya/tokenize/mail"
)

// Three processes are taught while the one that leads is killed, and have learned the same in
// the end. How fast that is depends on what else the machine does.
func TestKilledLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 15 seconds")
	}
	t.Parallel()
	dir, err := os.MkdirTemp("", "pf") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	o := options{n: 200, callers: 4, snapshot: 100, sample: 10, sync: "always", dir: dir, fault: "kill -9 of the leader", limit: time.Hour, lasts: time.Second, loopback: true}
	scenarios, ledgers := show(t.Context(), o, harness.Folders(""))
	if s := scenarios[0]; len(scenarios) != 1 || len(s.acks) < 200 || s.failed == 0 {
		t.Errorf("%d scenarios; %d trainings, %d tries failed: nobody was killed", len(scenarios), len(s.acks), s.failed)
	}
	if ledgers.Right+ledgers.Overtaken != 600 || ledgers.Lost+ledgers.Wrong+ledgers.Beyond > 0 {
		t.Errorf("ledgers %+v", ledgers)
	}
}

// What a ledger lacks, has in another class, or has beyond what was taught, is found.
func TestLedgers(t *testing.T) {
	t.Parallel()
	docs := harness.Folders("")
	f := &fleet{messages: docs, classes: harness.Classes(docs), failed: map[int]bool{41: true}, overtaken: map[int]string{}}
	f.last.Store(100)
	var rows []entry
	for i := range 100 {
		l := f.lesson(i)
		id := mime.ID(l.raw)
		e := entry{hex.EncodeToString(id[:]), l.class()}
		switch i {
		case 7:
			continue // lost
		case 20, 41:
			e.Class = "spare" // forgotten last; of this a try had failed
		}
		if e.Class != "" {
			rows = append(rows, e)
		}
	}
	rows = append(rows, entry{strings.Repeat("0", 32), "spam"})
	n := newNode(0, t.TempDir(), nil)
	f.nodes = []*node{n}
	l, err := net.Listen("unix", n.path("http.sock"))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := rows
		if after := r.URL.Query().Get("after"); after != "" {
			page = nil
		}
		json.NewEncoder(w).Encode(map[string]any{"ledger": page})
	})}
	go s.Serve(l)
	defer s.Close()
	got, _ := f.compare(t.Context())
	if want := (found{Right: 97, Lost: 1, Wrong: 1, Overtaken: 1, Beyond: 1}); got != want || harness.Try(func() { f.ledgers(t.Context()) }) == nil {
		t.Errorf("found %+v, want %+v and an error", got, want)
	}
	if f.overtaken[41] != "spare" || len(f.overtaken) != 1 {
		t.Errorf("overtaken: %v", f.overtaken)
	}
}

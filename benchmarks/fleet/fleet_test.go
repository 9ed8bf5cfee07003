//go:build linux

package main

import (
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/testdata"
)

func sampleMail(t *testing.T) fs.FS {
	t.Helper()
	corpus, err := fs.Sub(testdata.Mail, "mail/train")
	if err != nil {
		t.Fatal(err)
	}
	return corpus
}

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
	var out, progress strings.Builder
	o := options{n: 200, callers: 4, snapshot: 100, sample: 10, sync: "always", dir: dir, fault: "kill -9 of the leader", limit: time.Hour, lasts: time.Second, loopback: true}
	scenarios, err := show(t.Context(), o, sampleMail(t), &out, &progress)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &progress)
	}
	if s := scenarios[0]; len(scenarios) != 1 || len(s.teach.acks) < 200 || s.teach.failed == 0 || len(s.lags[s.node]) == 0 {
		t.Errorf("%d scenarios; %d trainings, %d tries failed, %d lags: nobody was killed", len(scenarios), len(s.teach.acks), s.teach.failed, len(s.lags[0]))
	}
	for _, want := range []string{"| kill -9 of the leader | ", "200 messages: entries of all ledgers {Right:600 Lost:0 Wrong:0 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &out)
		}
	}
	plot := filepath.Join(dir, "plot.svg")
	if err := draw(plot, scenarios); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(plot); err != nil || !strings.Contains(string(data), "kill -9 of the leader") {
		t.Errorf("the plot has %d bytes, and not the name of the fault: %v", len(data), err)
	}
}

// What a ledger lacks, has in another class, or has beyond what was taught, is found.
func TestLedgers(t *testing.T) {
	t.Parallel()
	messages, classes, err := readCorpus(sampleMail(t))
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{messages: messages, classes: classes, failed: map[int]bool{41: true}, overtaken: map[int]string{}}
	f.last.Store(100)
	var rows []entry
	for i := range 100 {
		l := f.lesson(i)
		id := l.id()
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
	got, err := f.ledgers(t.Context())
	if want := (found{Right: 97, Lost: 1, Wrong: 1, Overtaken: 1, Beyond: 1}); got != want || err == nil {
		t.Errorf("found %+v, %v, want %+v and an error", got, err, want)
	}
	if f.overtaken[41] != "spare" || len(f.overtaken) != 1 {
		t.Errorf("overtaken: %v", f.overtaken)
	}
}

// A lag is from an acknowledgement to the first sight of a position that the node which
// acknowledged had then.
func TestLags(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	f := &fleet{nodes: []*node{{}, {number: 1}}}
	for _, s := range []sighting{{at(0), 5}, {at(20), 7}, {at(40), 7}, {at(5000), 9}} {
		f.nodes[0].trace.add(s)
	}
	for _, s := range []sighting{{at(1), 5}, {at(21), 4}, {at(300), 8}} { // 4 is no news
		f.nodes[1].trace.add(s)
	}
	acks := []ack{{at: at(0), node: 0}, {at: at(10), node: 0}, {at: at(50), node: 0}, {at: at(15), node: 1}}
	var other, own []time.Duration
	for _, l := range f.lags(acks, f.nodes[1]) {
		other = append(other, l.lag)
	}
	for _, l := range f.lags(acks, f.nodes[0]) {
		own = append(own, l.lag)
	}
	// The third is not known: its node said nothing for more than a second.
	want := []time.Duration{time.Millisecond, 290 * time.Millisecond, 285 * time.Millisecond}
	if len(other) != 3 || other[0] != want[0] || other[1] != want[1] || other[2] != want[2] {
		t.Errorf("lags of the other %v, want %v", other, want)
	}
	if len(own) != 3 || own[0] != 0 || own[1] != 10*time.Millisecond || own[2] != 4985*time.Millisecond {
		t.Errorf("lags of the one %v", own)
	}
}

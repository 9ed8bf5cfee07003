package classify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Of each doubling eight are set positions.
func TestSetPositions(t *testing.T) {
	t.Parallel()
	all := map[uint64]bool{}
	for p := nextSet(0); p < 1<<12; p = nextSet(p) {
		all[p] = true
	}
	for p := uint64(1); p < 1<<12; p++ {
		// Those with at most four significant digits.
		odd := p
		for odd%2 == 0 {
			odd /= 2
		}
		if all[p] != (odd < 16) {
			t.Errorf("%d: %v", p, all[p])
		}
	}
	for _, p := range []uint64{0, 1, 3, 4, 5, 63, 64, 65, 1000, 1<<63 + 1} {
		if last := lastSet(p); last > p || p < 1<<60 && nextSet(last) <= p {
			t.Errorf("%d is between %d and %d", p, last, nextSet(last))
		}
	}
}

// aLog is a log of single documents, a large Delta, corrections, Deltas that cannot be
// carried out, and a class that comes late.
func aLog(t *testing.T, n int) []store.Logged {
	t.Helper()
	c := memoryClassifier(t, Options{})
	rng := rand.New(rand.NewPCG(5, 5))
	text := func(i int) (string, Document) {
		class := []string{"ham", "spam", "list"}[i%min(3, 2+i*2/n)]
		words := fmt.Sprintf("document%d %s", i, class)
		for range 8 {
			words += fmt.Sprintf(" w%d %s%d", rng.IntN(40), class, rng.IntN(30))
		}
		doc := c.Document([]byte(words))
		doc.ID = ContentID(fmt.Append(nil, i))
		doc.Time = time.Unix(1_700_000_000+int64(i)*3600, 0)
		return class, doc
	}
	var log []store.Logged
	for i, p := 0, uint64(0); i < n; i++ {
		var b Batch
		many := 1
		if i == n/3 {
			many = 150
		}
		for k := range many {
			class, doc := text(i + k*n)
			if err := b.Train(class, doc); err != nil {
				t.Fatal(err)
			}
		}
		switch i % 17 {
		case 11:
			b.Delta().Forget(ContentID(fmt.Append(nil, i-7)))
		case 13:
			b.Delta().Forget(count.DocID{1}) // refused
		}
		p += 1 + uint64(i%5/4)
		log = append(log, store.Logged{Delta: b.Delta(), Position: p})
	}
	return log
}

func memoryClassifier(t *testing.T, o Options) *Classifier {
	t.Helper()
	c, err := OpenMemory(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// node is who follows the log in parts of its own, begins anew now and then, and is asked
// and disturbed meanwhile.
type node struct {
	*Classifier
	t    *testing.T
	path string
	rng  *rand.Rand
	part int // Deltas at a time, up to
}

func (n *node) begin() {
	c, err := Open(n.path, Options{})
	if err == nil {
		err = c.Store().Follow(logOfNodes, 0)
	}
	if err == nil {
		_, err = c.ApplyLog(n.t.Context(), nil)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.Classifier = c
}

// goOn applies the log from at on, but for the last fit if it is to end before that.
func (n *node) goOn(log []store.Logged) {
	for len(log) > 0 {
		part := log[:min(len(log), 1+n.rng.IntN(n.part))]
		log = log[len(part):]
		if _, err := n.ApplyLog(n.t.Context(), part); err != nil {
			n.t.Fatal(err)
		}
		switch n.rng.IntN(12) {
		case 0:
			n.Close()
			n.begin()
		case 1: // ended after the transaction, before the fit
			if len(log) > 0 && lastSet(log[0].Position-1) == lastSet(part[len(part)-1].Position) {
				if _, err := n.Store().ApplyLog(n.t.Context(), log[:1]); err != nil {
					n.t.Fatal(err)
				}
				log = log[1:]
			}
			n.Close()
			n.begin()
		case 2: // somebody would fit by other rules
			if err := n.Refit(n.t.Context()); err != nil {
				n.t.Fatal(err)
			}
			if _, err := n.Calibrate(n.t.Context(), 0); !errors.Is(err, store.ErrFollows) {
				n.t.Fatal(err)
			}
			if _, err := n.Train(n.t.Context(), "ham", n.Document([]byte("not in the log"))); !errors.Is(err, store.ErrFollows) {
				n.t.Fatal(err)
			}
		}
	}
}

// says is everything that the node answers, to the last bit, and what it keeps of fits.
func (n *node) says() string {
	var out bytes.Buffer
	if err := n.Store().Dump(context.Background(), &out, true); err != nil {
		n.t.Fatal(err)
	}
	for i := range 12 {
		doc := n.Document(fmt.Appendf(nil, "w%d w%d ham%d spam%d list%d document%d", i, 3*i, i, i*i, 7-i, i))
		r, err := n.Classify(n.t.Context(), doc)
		if err != nil {
			n.t.Fatal(err)
		}
		fmt.Fprintf(&out, "%d %+v\n", i, r)
	}
	err := n.Store().View(func(s *store.Snapshot) error {
		for _, key := range []string{keyCalibration, keyLayer, keyFollowed} {
			fmt.Fprintf(&out, "%q %x\n", key, s.State(key))
		}
		return nil
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return out.String()
}

// Databases that follow one log answer equally at equal positions, whatever the parts that
// each has applied it in, and whichever process has calibrated.
func TestFollowersAnswerEqually(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	log := aLog(t, 240)
	nodes := make([]*node, 3)
	for i, part := range []int{1, 7, 240} {
		nodes[i] = &node{t: t, path: filepath.Join(t.TempDir(), "node.polya"), rng: rand.New(rand.NewPCG(1, uint64(i))), part: part}
		nodes[i].begin()
		defer func() { nodes[i].Close() }()
	}
	calibrated := map[string]bool{}
	at := 0
	compared := []int{20, 31, 47, 80, 81, 100, 133, 200, 229, 240}
	if testing.Short() {
		compared = []int{47, 80, 100, 200, 240}
	}
	for _, to := range compared {
		first := ""
		for i, n := range nodes {
			n.goOn(log[at:to])
			says := n.says()
			if i == 0 {
				first = says
			} else if says != first {
				t.Fatalf("after %d Deltas node %d says something else", to, i)
			}
		}
		k, err := nodes[0].Calibration()
		if err != nil {
			t.Fatal(err)
		}
		if k != nil {
			calibrated[fmt.Sprint(k.Documents)] = true
		}
		at = to
	}
	if len(calibrated) < len(compared)/2 {
		t.Errorf("calibrated at %v documents only: little is shown", calibrated)
	}
	// Who begins with the counts alone is equal from the next fit on that is made anew.
	late := &node{t: t, path: filepath.Join(t.TempDir(), "late.polya"), rng: rand.New(rand.NewPCG(1, 9)), part: 50}
	c, err := Open(late.path, Options{Fitting: FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range log[:100] {
		_, _ = c.Store().Apply(l.Delta) // or it is refused
	}
	if err := c.Store().Follow(logOfNodes, log[99].Position); err != nil {
		t.Fatal(err)
	}
	c.Close()
	late.begin()
	defer func() { late.Close() }()
	late.goOn(log[100:])
	if late.says() != nodes[0].says() {
		t.Error("a node that began with counts says something else")
	}
}

var logOfNodes = store.Stream{Name: "log", Created: time.Unix(3, 0)}

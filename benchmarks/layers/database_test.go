package layers

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

var background = context.Background()

// setting is a number from the environment.
func setting(name string, byDefault int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return byDefault
}

// drawn is a document of n terms out of vocabulary, the frequent ones more often, as a
// power law with exponent near 1 has them.
func drawn(rng *rand.Rand, id, n, vocabulary int) classify.Document {
	bag := new(tokenize.Bag)
	for range n {
		k := int(math.Pow(float64(vocabulary), rng.Float64())) - 1
		bag.Add(fmt.Appendf(nil, "t%07x", k))
	}
	d := classify.Document{Bag: bag}
	binary.BigEndian.PutUint64(d.ID[:], uint64(id)+1)
	return d
}

// table is a database of many terms in many classes. It is made once.
type table struct {
	path           string
	terms, classes int
}

var made struct {
	sync.Mutex
	tables map[string]*table
}

// large returns a database with that many classes.
func large(tb testing.TB, classes int) *table {
	tb.Helper()
	made.Lock()
	defer made.Unlock()
	terms := setting("POLYA_BENCH_TERMS", 200_000)
	key := fmt.Sprint(terms, " ", classes)
	if t := made.tables[key]; t != nil {
		return t
	}
	dir, err := os.MkdirTemp("", "polya-layers-")
	if err != nil {
		tb.Fatal(err)
	}
	folders = append(folders, dir)
	t := &table{filepath.Join(dir, "large.polya"), terms, classes}
	c := open(tb, t.path, classify.Options{Store: store.Options{Ledger: count.LedgerNone}})
	defer c.Close()
	rng := rand.New(rand.NewPCG(1, uint64(classes)))
	const chunk = 2000
	for from := 0; from < terms; from += chunk {
		var b classify.Batch
		for class := range classes {
			// Each term of the chunk is in one class for certain and in two others or
			// so; those that are drawn often are in all.
			d := drawn(rng, from*classes+class, 200, terms)
			for k := from; k < min(from+chunk, terms); k++ {
				if rng.IntN(classes) < 2 || class == k%classes {
					d.Bag.Add(fmt.Appendf(nil, "t%07x", k))
				}
			}
			if err := b.Train(fmt.Sprintf("c%03d", class), d); err != nil {
				tb.Fatal(err)
			}
		}
		if _, err := c.Apply(background, &b); err != nil {
			tb.Fatal(err)
		}
	}
	if err := c.Store().Compact(context.Background()); err != nil {
		tb.Fatal(err)
	}
	if made.tables == nil {
		made.tables = make(map[string]*table)
	}
	made.tables[key] = t
	return t
}

// folders are removed at the end.
var folders []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range folders {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func open(tb testing.TB, path string, o classify.Options) *classify.Classifier {
	tb.Helper()
	c, err := classify.Open(path, o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

package crash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/polya-classifier/polya/store/count"
)

// Each trainer has its own classes, so that its part of the file can be identified even
// without a ledger. One has two names in turn, one is deleted from time to time.
const (
	renamed = 1
	trash   = 2
	classes = 3
)

func className(trainer, class int, other bool) string {
	name := [classes]string{"ham", "spam", "trash"}[class]
	if other && class == renamed {
		name = "junk"
	}
	return fmt.Sprintf("%d-%s", trainer, name)
}

// parseClass reads what className returns.
func parseClass(s string) (trainer, class int, ok bool) {
	var name string
	if _, err := fmt.Sscanf(s, "%d-%s", &trainer, &name); err != nil {
		return 0, 0, false
	}
	for class = range classes {
		if s == className(trainer, class, false) || s == className(trainer, class, true) {
			return trainer, class, true
		}
	}
	return 0, 0, false
}

// attribute is one that every document has.
const attribute = "kind"

// prunable reports whether a term is among those that the trainer drops.
func prunable(trainer int, term string) bool {
	return strings.HasPrefix(term, fmt.Sprintf("x%d-", trainer))
}

// document describes a learned document.
type document struct {
	class  int
	pruned bool // it was there when the trainer's prunable terms were dropped
}

// content returns the whole document: terms that all trainers share, terms of this
// trainer, terms that are sometimes dropped, and a unique term.
func (p *Plan) content(trainer, number int) count.Document {
	random := rand.New(rand.NewPCG(p.Seed^0x706f6c7961, uint64(trainer)<<32|uint64(number)))
	counts := map[string]uint8{}
	add := func(n int, format string, most int) {
		for range n {
			counts[fmt.Sprintf(format, trainer, random.IntN(most))] += uint8(1 + random.IntN(3))
		}
	}
	add(1+random.IntN(10), "common%[2]d", 40)
	add(random.IntN(12), "own%d-%d", 300)
	add(random.IntN(5), "x%d-%d", 60)
	counts[fmt.Sprintf("only%d-%d", trainer, number)] = 1
	d := count.Document{Time: time.Unix(1e9+int64(number), 0), Source: fmt.Sprintf("source%d", number%3)}
	copy(d.ID[:], fmt.Sprintf("%d-%d", trainer, number))
	for term, n := range counts {
		d.Terms = append(d.Terms, count.TermCount{Term: []byte(term), N: n})
	}
	d.Attributes = []count.Attribute{{Name: attribute, Kind: count.Category, Category: fmt.Sprintf("kind%d", random.IntN(5))}}
	return d
}

// firstClass is the class that a document is learned as.
func firstClass(number int) int {
	if number%7 == 3 {
		return trash
	}
	return number % 2
}

// termWeight returns the units of weight that a term with n occurrences adds, by the
// definition of W in FORMAT.md and none of the store's code.
func termWeight(n uint8, norm float64) uint64 {
	return uint64(math.Floor(logCount(n)*65536/norm + .5))
}

func logCount(n uint8) float64 { return math.Floor(math.Log(1+float64(n))*65536 + .5) }

func weightNorm(terms []count.TermCount) float64 {
	sum := 0.0
	for _, t := range terms {
		sum += logCount(t.N) * logCount(t.N)
	}
	return math.Sqrt(sum)
}

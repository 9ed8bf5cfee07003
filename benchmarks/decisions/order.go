package decisions

import (
	"fmt"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
)

// date gives documents the times of an order, an hour apart, or none.
func date(docs []document, dates bool) []document {
	for i := range docs {
		docs[i].doc.Time = time.Time{}
		if dates {
			docs[i].doc.Time = time.Unix(1e9+int64(i)*3600, 0)
		}
	}
	return docs
}

// folders measures a mailbox in order of time: 2,000 documents are learned, under their own
// dates and without, and the next 1,000 asked about. It prints how many are filed at each
// precision asked for.
func folders(_ int, dirs []string) {
	docs := read(harness.Ordered(dirs[0]))
	for _, dates := range []bool{false, true} {
		for _, asked := range []float64{.8, .9, .95, .99} {
			c := learned(date(docs[:2000], dates), decision.Precision{Share: asked})
			filed, right := 0, 0
			var k certainty
			for _, d := range docs[2000:3000] {
				r := ask(c, d)
				k.add(&r, d.true)
				if !r.Unsure {
					filed++
					if r.Class == d.true {
						right++
					}
				}
			}
			total := calibration.Earned{}
			for _, e := range harness.Must(c.Record()).Earned(asked) {
				total.Documents, total.Filed, total.Right = total.Documents+e.Documents, total.Filed+e.Filed, total.Right+e.Right
			}
			fmt.Printf("dates %v, asked %.2f: %d of 1,000 filed, %.1f %% right; of the record %d of %d, %.1f %%\n",
				dates, asked, filed, 100*float64(right)/float64(max(filed, 1)), total.Filed, total.Documents, 100*total.Right/float64(max(total.Filed, 1)))
			if asked == .8 {
				fmt.Println(&k)
			}
			c.Close()
		}
	}
}

// watched is the probability from which a mailbox that is watched has junk filed.
const watched = .9875

// junk measures a Junk folder in order of time: 2,000 learned, 2,000 asked about, by a
// filter, at a rate of false positives, and as a watcher files.
func junk(_ int, dirs []string) {
	docs := read(harness.Ordered(dirs[0]))
	for _, dates := range []bool{false, true} {
		for _, d := range []decision.Decision{filterSpam, decision.FalsePositiveRate{Positive: spam, Rate: .01}, decision.Precision{Share: .9}} {
			c := learned(date(docs[:2000], dates), d)
			var a answers
			_, watching := d.(decision.Precision)
			for _, x := range docs[2000:4000] {
				r := ask(c, x)
				a.add(x, r.Class == spam, r.Unsure || watching && r.Class == spam && r.Probability < watched)
			}
			fmt.Printf("dates %v, %T: spams %v, hams %v\n", dates, d, a.spams, a.hams)
			c.Close()
		}
	}
}

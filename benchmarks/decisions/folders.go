package decisions

import (
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify/decision"
)

// watched is the probability from which a mailbox that is watched has junk filed.
const watched = .9875

// folders measures a mailbox in order of time: 2,000 documents are learned, under their own
// dates and without, and the following ones asked about, 1,000 of folders and 2,000 of mail
// with spam. Of folders it prints how many are filed at each precision asked for; of spam the
// answers of a filter, of one at a rate of false positives, and what a watcher would file.
func folders(docs []document) {
	const taught = 2000
	learn, asked := must(docs, taught)
	for _, dates := range []bool{false, true} {
		fmt.Printf("\nlearned under dates: %v\n", dates)
		for i := range learn {
			learn[i].doc.Time = time.Time{}
			if dates { // an hour apart
				learn[i].doc.Time = time.Unix(1e9+int64(i)*3600, 0)
			}
		}
		if slices.ContainsFunc(docs, func(d document) bool { return d.Class == spam }) {
			junk(learn, asked[:min(len(asked), 2000)])
		} else {
			filed(learn, asked[:min(len(asked), 1000)])
		}
	}
}

func filed(learn, asked []document) {
	harness.Head("precision asked for", "filed", "of", "right %")
	for _, share := range []float64{.8, .9, .95, .99} {
		c := learned(learn, decision.Precision{Share: share})
		filed, right := 0, 0
		for _, d := range asked {
			if r := harness.Classify(c, d.doc); !r.Unsure {
				filed++
				if r.Class == d.true {
					right++
				}
			}
		}
		harness.Row(share, filed, len(asked), harness.Percent(right, filed, 1))
		c.Close()
	}
}

func junk(learn, asked []document) {
	harness.Head("decision", "spams yes/unsure/no", "hams")
	for _, d := range []decision.Decision{decision.Filter{Positive: spam}, decision.FalsePositiveRate{Positive: spam, Rate: .01}, decision.Precision{Share: .9}} {
		c := learned(learn, d)
		var a answers
		_, watching := d.(decision.Precision)
		for _, x := range asked {
			r := harness.Classify(c, x.doc)
			a.add(x, r.Class == spam, r.Unsure || watching && r.Class == spam && r.Probability < watched)
		}
		harness.Row(fmt.Sprintf("%T", d), a.spams, a.hams)
		c.Close()
	}
}

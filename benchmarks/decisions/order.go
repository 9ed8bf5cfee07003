package main

import (
	"context"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
)

// folders measures a mailbox in order of time: 2,000 documents are learned, under their own
// dates and without, and the next 1,000 asked about. It prints how many are filed at each
// precision asked for.
func folders(args []string) error {
	_, dirs, err := flagsOf("folders", args, 1)
	if err != nil {
		return err
	}
	docs, err := readOrdered(dirs[0])
	if err != nil {
		return err
	}
	for _, dates := range []bool{false, true} {
		date(docs[:2000], dates)
		for _, asked := range []float64{.8, .9, .95, .99} {
			c, err := learned(docs[:2000], decision.Precision{Share: asked})
			if err != nil {
				return err
			}
			filed, right := 0, 0
			var k certainty
			for _, d := range docs[2000:3000] {
				r, err := c.Classify(context.Background(), d.doc)
				if err != nil {
					return err
				}
				k.add(&r, d.true)
				if r.Unsure {
					continue
				}
				filed++
				if r.Class == d.true {
					right++
				}
			}
			record, err := c.Record()
			if err != nil {
				return err
			}
			total := calibration.Earned{}
			for _, e := range record.Earned(asked) {
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
	return nil
}

// date gives documents the times of an order, an hour apart, or none.
func date(docs []document, dates bool) {
	for i := range docs {
		docs[i].doc.Time = time.Time{}
		if dates {
			docs[i].doc.Time = time.Unix(1e9+int64(i)*3600, 0)
		}
	}
}

// watched is the probability from which 'polya maildir watch' files junk.
const watched = .9875

// junk measures a Junk folder in order of time: 2,000 learned, 2,000 asked about, by a
// filter, at a rate of false positives, and as a watcher files.
func junk(args []string) error {
	_, dirs, err := flagsOf("junk", args, 1)
	if err != nil {
		return err
	}
	docs, err := readOrdered(dirs[0])
	if err != nil {
		return err
	}
	for _, dates := range []bool{false, true} {
		date(docs[:2000], dates)
		for _, d := range []decision.Decision{filterSpam, decision.FalsePositiveRate{Positive: spam, Rate: .01}, decision.Precision{Share: .9}} {
			c, err := learned(docs[:2000], d)
			if err != nil {
				return err
			}
			var spams, hams tally
			for _, x := range docs[2000:4000] {
				r, err := c.Classify(context.Background(), x.doc)
				if err != nil {
					return err
				}
				t := &hams
				if x.true == spam {
					t = &spams
				}
				_, watching := d.(decision.Precision)
				t.add(r.Class == spam, r.Unsure || watching && r.Class == spam && r.Probability < watched)
			}
			fmt.Printf("dates %v, %T: spams %v, hams %v\n", dates, d, spams, hams)
			c.Close()
		}
	}
	return nil
}

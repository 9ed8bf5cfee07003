package decisions

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
)

// noises are the shares of the labels of ham and spam that are wrong.
var noises = []struct {
	name      string
	ham, spam float64
}{
	{"none", 0, 0}, {"1 % of both", .01, .01}, {"2 % of both", .02, .02}, {"5 % of both", .05, .05},
	{"5 % of ham", .05, 0}, {"10 % of ham", .1, 0}, {"5 % of spam", 0, .05},
}

// flipped returns docs with so many wrong labels of each class, and which they are.
func flipped(docs []document, hams, spams, draw int) (list []document, wrong map[string]bool) {
	list, wrong = slices.Clone(docs), make(map[string]bool)
	other := map[string]string{spam: "ham", "ham": spam}
	left := map[string]int{spam: spams, "ham": hams}
	for _, i := range rand.New(rand.NewPCG(uint64(draw), 12)).Perm(len(list)) {
		if d := &list[i]; left[d.true] > 0 {
			left[d.true]--
			d.Class = other[d.true]
			wrong[d.Path] = true
		}
	}
	return list, wrong
}

// labels measures a filter that has learned wrong labels: 1,100 messages of each class
// are learned, and 700 of each asked about.
func labels(draws int, dirs []string) {
	const taught, asks = 1100, 700
	all := read(harness.Folders(dirs[0]))
	for draw := range draws {
		docs := drawn(all, draw)
		hams, spams := ofClass(docs, "ham"), ofClass(docs, spam)
		learn := slices.Concat(hams[:taught], spams[:taught])
		asked := slices.Concat(hams[taught:taught+asks], spams[taught:taught+asks])
		for _, n := range noises {
			learn, wrong := flipped(learn, int(n.ham*taught+.5), int(n.spam*taught+.5), draw)
			c := learned(learn, filterSpam)
			fmt.Printf("draw %d  %-12s %s  %s\n", draw, n.name, filtered(c, learn, asked), suspectsOf(c, learn, wrong))
			c.Close()
		}
	}
}

// suspectsOf says how many suspects are listed, and how many of them and of the first 50
// are wrong.
func suspectsOf(c *classify.Classifier, taught []document, wrong map[string]bool) string {
	paths := make(map[count.DocID]string)
	for _, d := range taught {
		paths[d.doc.ID] = d.Path
	}
	suspects, right, first := harness.Must(c.Suspects()), 0, 0
	for i, s := range suspects {
		if wrong[paths[s.ID]] {
			right++
			if i < 50 {
				first++
			}
		}
	}
	return fmt.Sprintf("suspects %d of %d flipped, %d right; of the first 50 %d", len(suspects), len(wrong), right, first)
}

// few measures a filter that has learned few documents of each class; 400 of each are
// asked about.
func few(draws int, dirs []string) {
	all := read(harness.Folders(dirs[0]))
	for _, size := range []int{10, 20, 50, 100, 150, 300, 600, 1000, 1400} {
		for draw := range draws {
			docs := drawn(all, draw)
			hams, spams := ofClass(docs, "ham"), ofClass(docs, spam)
			if min(len(hams), len(spams)) < size+300 {
				continue
			}
			learn := slices.Concat(hams[:size], spams[:size])
			asked := slices.Concat(hams[size:min(size+400, len(hams))], spams[size:min(size+400, len(spams))])
			c := learned(learn, filterSpam)
			fmt.Printf("%4d of each  draw %d  %s  %s\n", size, draw, filtered(c, learn, asked), fitOf(c))
			c.Close()
		}
	}
}

// fitOf says what a calibration made of the documents.
func fitOf(c *classify.Classifier) string {
	k, err := c.Calibration()
	if err != nil || k == nil {
		return "not calibrated"
	}
	m := k.Model(k.Chosen)
	s := fmt.Sprintf("%s v %.3f floor %.3f", m.Name, m.Variance, m.Floor)
	for _, class := range slices.Sorted(maps.Keys(m.Zones)) {
		s += fmt.Sprintf(" [%.2f %.2f]", m.Zones[class].No, m.Zones[class].Yes)
	}
	return s + fmt.Sprintf(" %.2f", m.Weights)
}

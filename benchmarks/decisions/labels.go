package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
)

// noise is the share of the labels of each class that are wrong.
type noise struct {
	name      string
	ham, spam float64
}

var noises = []noise{
	{"none", 0, 0}, {"1 % of both", .01, .01}, {"2 % of both", .02, .02}, {"5 % of both", .05, .05},
	{"5 % of ham", .05, 0}, {"10 % of ham", .1, 0}, {"5 % of spam", 0, .05},
}

// flipped returns docs with wrong labels, and which they are.
func flipped(docs []document, n noise, draw int) (list []document, wrong map[string]bool) {
	list, wrong = slices.Clone(docs), make(map[string]bool)
	rng := rand.New(rand.NewPCG(uint64(draw), 12))
	other := map[string]string{spam: "ham", "ham": spam}
	left := map[string]int{}
	for _, d := range docs {
		left[d.class]++
	}
	left = map[string]int{spam: int(n.spam*float64(left[spam]) + .5), "ham": int(n.ham*float64(left["ham"]) + .5)}
	for _, i := range rng.Perm(len(list)) {
		if d := &list[i]; left[d.true] > 0 {
			left[d.true]--
			d.class = other[d.true]
			wrong[d.path] = true
		}
	}
	return list, wrong
}

// labels measures a filter that has learned wrong labels: 1,100 messages of each class
// are learned, and 700 of each asked about.
func labels(args []string) error {
	draws, dirs, err := flagsOf("labels", args, 1)
	if err != nil {
		return err
	}
	all, err := readFolders(dirs[0])
	if err != nil {
		return err
	}
	for draw := range draws {
		docs := drawn(all, draw)
		hams, spams := ofClass(docs, "ham"), ofClass(docs, spam)
		learn := slices.Concat(hams[:1100], spams[:1100])
		asked := slices.Concat(hams[1100:1800], spams[1100:1800])
		for _, n := range noises {
			taught, wrong := flipped(learn, n, draw)
			c, err := learned(taught, filterSpam)
			if err != nil {
				return err
			}
			s, h, err := filtered(c, asked)
			if err != nil {
				return err
			}
			bs, bh, err := bogofiltered(taught, asked)
			if err != nil {
				return err
			}
			fmt.Printf("draw %d  %-12s spams %v  hams %v  bogofilter %v %v  %s\n", draw, n.name, s, h, bs, bh, suspectsOf(c, taught, wrong))
			c.Close()
		}
	}
	return nil
}

// suspectsOf says how many suspects are listed, and how many of them and of the first 50
// are wrong.
func suspectsOf(c *classify.Classifier, taught []document, wrong map[string]bool) string {
	suspects, err := c.Suspects()
	if err != nil {
		return err.Error()
	}
	paths := make(map[count.DocID]string)
	for _, d := range taught {
		paths[d.doc.ID] = d.path
	}
	right, first := 0, 0
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

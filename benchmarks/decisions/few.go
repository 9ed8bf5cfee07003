package main

import (
	"fmt"
	"github.com/polya-classifier/polya/classify"
	"slices"
)

// few measures a filter that has learned few documents of each class; 400 of each are
// asked about.
func few(args []string) error {
	draws, dirs, err := flagsOf("few", args, 1)
	if err != nil {
		return err
	}
	all, err := readFolders(dirs[0])
	if err != nil {
		return err
	}
	for _, size := range []int{10, 20, 50, 100, 150, 300, 600, 1000, 1400} {
		for draw := range draws {
			docs := drawn(all, draw)
			hams, spams := ofClass(docs, "ham"), ofClass(docs, spam)
			if len(hams) < size+300 || len(spams) < size+300 {
				continue
			}
			learn := slices.Concat(hams[:size], spams[:size])
			most := func(list []document) []document { return list[size:min(size+400, len(list))] }
			asked := slices.Concat(most(hams), most(spams))
			c, err := learned(learn, filterSpam)
			if err != nil {
				return err
			}
			s, h, err := filtered(c, asked)
			if err != nil {
				return err
			}
			bs, bh, err := bogofiltered(learn, asked)
			if err != nil {
				return err
			}
			fmt.Printf("%4d of each  draw %d  spams %v  hams %v  bogofilter %v %v  %s\n", size, draw, s, h, bs, bh, fitOf(c))
			c.Close()
		}
	}
	return nil
}

// fitOf says what a calibration made of the documents.
func fitOf(c *classify.Classifier) string {
	k, err := c.Calibration()
	if err != nil || k == nil {
		return "not calibrated"
	}
	m := k.Model(k.Chosen)
	s := fmt.Sprintf("%s v %.3f floor %.3f", m.Name, m.Variance, m.Floor)
	for _, z := range m.Zones {
		s += fmt.Sprintf(" [%.2f %.2f]", z.No, z.Yes)
	}
	return s + fmt.Sprintf(" %.2f", m.Weights)
}

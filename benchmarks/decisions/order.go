package main

import (
	"context"
	"fmt"
	"slices"
)

// folders measures a mailbox in order of time: 2,000 documents are learned and the next
// 1,000 asked about. It prints how many would be filed at each precision asked for.
func folders(args []string) error {
	_, dirs, err := flagsOf("folders", args, 1)
	if err != nil {
		return err
	}
	docs, err := readOrdered(dirs[0])
	if err != nil {
		return err
	}
	c, err := learned(docs[:2000], nil)
	if err != nil {
		return err
	}
	defer c.Close()
	k, err := certain(c, docs[2000:3000])
	if err != nil {
		return err
	}
	fmt.Println(&k)
	return nil
}

// junk measures a Junk folder in order of time: 2,000 learned, 2,000 asked about.
func junk(args []string) error {
	_, dirs, err := flagsOf("junk", args, 1)
	if err != nil {
		return err
	}
	docs, err := readOrdered(dirs[0])
	if err != nil {
		return err
	}
	c, err := learned(docs[:2000], nil)
	if err != nil {
		return err
	}
	defer c.Close()
	asked := docs[2000:4000]
	for _, cut := range []float64{.9, .95, .99, .999} {
		var hams, spams, filed, lost int
		for i := range asked {
			r, err := c.Classify(context.Background(), asked[i].doc)
			if err != nil {
				return err
			}
			is := r.Class == spam && r.Probability >= cut && !r.Unsure
			if asked[i].true == spam {
				spams++
				if is {
					filed++
				}
			} else {
				hams++
				if is {
					lost++
				}
			}
		}
		fmt.Printf("cut %v: %d of %d hams filed, %d of %d spams\n", cut, lost, hams, filed, spams)
	}
	return nil
}

var _ = slices.Clone[[]int]

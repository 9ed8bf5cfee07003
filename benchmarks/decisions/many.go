package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// redrawn measures many classes with 5 % of the labels drawn anew, on right labels.
func redrawn(args []string) error {
	draws, train, test, err := readParts("redrawn", args)
	if err != nil {
		return err
	}
	for draw := range draws {
		for _, share := range []float64{0, .05} {
			rng := rand.New(rand.NewPCG(uint64(draw), 13))
			docs := slices.Clone(train)
			for i := range docs {
				if rng.Float64() < share {
					docs[i].class = train[rng.IntN(len(train))].class
				}
			}
			if err := showCertain(fmt.Sprintf("draw %d, %g drawn anew", draw, share), docs, test); err != nil {
				return err
			}
		}
	}
	return nil
}

// sure measures the errors of sure answers.
func sure(args []string) error {
	_, train, test, err := readParts("sure", args)
	if err != nil {
		return err
	}
	return showCertain(args[0], train, test)
}

// readParts reads the documents to learn and those to ask about.
func readParts(name string, args []string) (draws int, train, test []document, err error) {
	draws, dirs, err := flagsOf(name, args, 2)
	if err != nil {
		return 0, nil, nil, err
	}
	if train, err = readFolders(dirs[0]); err != nil {
		return 0, nil, nil, err
	}
	test, err = readFolders(dirs[1])
	return draws, train, test, err
}

func showCertain(title string, train, test []document) error {
	c, err := learned(train, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	k, err := certain(c, test)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %v\n", title, &k)
	return nil
}

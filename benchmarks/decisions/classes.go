package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/polya-classifier/polya/classify"
)

// classes measures many classes of made documents, of equal size and by Zipf's law: whether
// they are calibrated, how long that takes, and the errors of sure answers.
func classes(args []string) error {
	if _, _, err := flagsOf("classes", args, 0); err != nil {
		return err
	}
	for _, n := range []int{200, 300, 1000, 5000} {
		for _, zipf := range []bool{false, true} {
			if err := manyClasses(n, 20_000, zipf); err != nil {
				return err
			}
		}
	}
	return nil
}

// manyClasses draws documents of 40 words, of which a third are of the class.
func manyClasses(classes, documents int, zipf bool) error {
	rng := rand.New(rand.NewPCG(uint64(classes), 17))
	c, err := open(nil)
	if err != nil {
		return err
	}
	defer c.Close()
	class := func() int {
		if zipf {
			return int(math.Exp(rng.Float64()*math.Log(float64(classes+1)))) - 1
		}
		return rng.IntN(classes)
	}
	made := func() document {
		k := class()
		text := ""
		for range 40 {
			switch rng.IntN(3) {
			case 0: // of a class, most often its own
				of := k
				if rng.IntN(3) == 0 {
					of = rng.IntN(classes)
				}
				text += fmt.Sprintf(" of%dword%d", of, rng.IntN(200))
			default:
				text += fmt.Sprint(" word", rng.IntN(5000))
			}
		}
		name := fmt.Sprintf("class%05d", k)
		return document{class: name, true: name, doc: c.Document([]byte(text))}
	}
	var batch classify.Batch
	for range documents {
		d := made()
		if err := batch.Train(d.class, d.doc); err != nil {
			return err
		}
	}
	ctx := context.Background()
	if _, err := c.Apply(ctx, &batch); err != nil {
		return err
	}
	start := time.Now()
	k, err := c.Calibrate(ctx, 0)
	if err != nil {
		return err
	}
	took := time.Since(start)
	var asked []document
	for range 1000 {
		asked = append(asked, made())
	}
	start = time.Now()
	sure, err := certain(c, asked)
	if err != nil {
		return err
	}
	fmt.Printf("%d classes, zipf %v: calibrated %v in %.1f s, %.2f ms a question; %v\n", classes, zipf, k != nil, took.Seconds(),
		time.Since(start).Seconds(), &sure)
	return nil
}

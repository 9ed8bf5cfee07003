package decisions

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
)

// redrawn measures many classes with 5 % of the labels drawn anew, on right labels.
func redrawn(draws int, dirs []string) {
	train, test := read(harness.Folders(dirs[0])), read(harness.Folders(dirs[1]))
	for draw := range draws {
		for _, share := range []float64{0, .05} {
			rng := rand.New(rand.NewPCG(uint64(draw), 13))
			docs := slices.Clone(train)
			for i := range docs {
				if rng.Float64() < share {
					docs[i].Class = train[rng.IntN(len(train))].Class
				}
			}
			showCertain(fmt.Sprintf("draw %d, %g drawn anew", draw, share), docs, test)
		}
	}
}

// sure measures the errors of sure answers.
func sure(_ int, dirs []string) {
	showCertain(dirs[0], read(harness.Folders(dirs[0])), read(harness.Folders(dirs[1])))
}

func showCertain(title string, train, test []document) {
	c := learned(train, nil)
	defer c.Close()
	fmt.Printf("%s: %v\n", title, certain(c, test))
}

// classes measures many classes of made documents, of equal size and by Zipf's law: whether
// they are calibrated, how long that takes, and the errors of sure answers.
func classes(int, []string) {
	for _, n := range []int{200, 300, 1000, 5000} {
		for _, zipf := range []bool{false, true} {
			manyClasses(n, 20_000, zipf)
		}
	}
}

// manyClasses draws documents of 40 words, of which a third are of the class.
func manyClasses(classes, documents int, zipf bool) {
	rng := rand.New(rand.NewPCG(uint64(classes), 17))
	c := open(nil)
	defer c.Close()
	made := func() document {
		k := 0
		if zipf {
			k = int(math.Exp(rng.Float64()*math.Log(float64(classes+1)))) - 1
		} else {
			k = rng.IntN(classes)
		}
		text := ""
		for range 40 {
			if rng.IntN(3) > 0 {
				text += fmt.Sprint(" word", rng.IntN(5000))
				continue
			}
			of := k // of a class, most often its own
			if rng.IntN(3) == 0 {
				of = rng.IntN(classes)
			}
			text += fmt.Sprintf(" of%dword%d", of, rng.IntN(200))
		}
		name := fmt.Sprintf("class%05d", k)
		return document{harness.Document{Class: name}, name, c.Document([]byte(text))}
	}
	var batch classify.Batch
	for range documents {
		d := made()
		harness.Check(batch.Train(d.Class, d.doc))
	}
	harness.Must(c.Apply(context.Background(), &batch))
	start := time.Now()
	k := harness.Must(c.Calibrate(context.Background(), 0))
	took := time.Since(start)
	asked := make([]document, 1000)
	for i := range asked {
		asked[i] = made()
	}
	start = time.Now()
	sure := certain(c, asked)
	fmt.Printf("%d classes, zipf %v: calibrated %v in %.1f s, %.2f ms a question; %v\n", classes, zipf, k != nil, took.Seconds(),
		time.Since(start).Seconds(), sure)
}

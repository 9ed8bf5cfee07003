package tags_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/store/count"
)

// Letters have any number of tags; a tag speaks once enough examples were learned and calibrated.
func Example() {
	c, err := classify.OpenMemory(nil, classify.Options{Holds: classify.Tags})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	for i := range 60 {
		for text, names := range map[string][]string{
			"our flight and the hotel":  {"travel"},
			"the kids and their school": {"family"},
			"the kids on a flight":      {"family", "travel"},
			"the minutes of a meeting":  nil,
		} {
			set, err := count.TagSet(names...)
			if err != nil {
				log.Fatal(err)
			}
			if _, err := c.Train(ctx, set, c.Document(fmt.Append(nil, text, " ", i))); err != nil {
				log.Fatal(err)
			}
		}
	}
	if _, err := c.Calibrate(ctx, 0); err != nil {
		log.Fatal(err)
	}
	tagger, err := tags.New(c, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"the hotel", "a flight with the kids", "a meeting"} {
		r, err := tagger.Score(ctx, c.Document([]byte(text)))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text, r.Tags())
	}
	// Output:
	// the hotel [travel]
	// a flight with the kids [family travel]
	// a meeting []
}

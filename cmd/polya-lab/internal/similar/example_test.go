package similar_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/similar"
	"github.com/polya-classifier/polya/store/count"
)

// Two documents about boats are enough to find a third. What was learned, of any
// class, tells which words are ordinary.
func ExampleNew() {
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	for _, text := range []string{
		"the sail is torn", "the harbour and the sail", "a train to the coast",
		"the train is late", "a letter and a stamp", "the stamp is torn",
	} {
		if _, err := c.Train(ctx, "notes", c.Document([]byte(text))); err != nil {
			log.Fatal(err)
		}
	}
	document := func(text string) count.Document {
		doc := c.Document([]byte(text))
		return doc.Counted("", nil)
	}
	boats := []count.Document{document("a sail in the harbour"), document("the new sail")}
	set, err := similar.New(ctx, c.Store(), boats, similar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("they have in common:", set.Terms()[0].Term)
	for _, text := range []string{"the train and the stamp", "the harbour has a sail"} {
		like, err := set.Score(ctx, document(text).Terms)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%+.3f %s\n", like.Score, text)
	}
	// Output:
	// they have in common: sail
	// -0.008 the train and the stamp
	// +0.025 the harbour has a sail
}

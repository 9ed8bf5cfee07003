package corpus_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/polya-classifier/polya/classify/corpus"
)

// Documents come one at a time: here the JSON lines of standard input.
func ExampleWalk() {
	lines := `{"class":"work","text":"The minutes of the meeting"}
{"class":"travel","text":"Your flight","attributes":{"price":120,"direct":true}}
`
	o := corpus.Options{Format: corpus.JSONL, Stdin: strings.NewReader(lines)}
	err := corpus.Walk(context.Background(), "-", o, func(d *corpus.Document) error {
		fmt.Printf("%s %s %q", d.Path, d.Class, d.Content) // Content is valid only here
		for _, a := range d.Attributes {
			fmt.Printf(" %s=%v", a.Name, a.Value)
		}
		fmt.Println()
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// -:1 work "The minutes of the meeting"
	// -:2 travel "Your flight" direct=true price=120
}

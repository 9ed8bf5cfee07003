package classify_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"path"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/testdata"
)

// A mail filter asks about one class. It is unsure where a wrong answer would cost more,
// and where a spam has been given the words of another kind of mail.
func ExampleDecision() {
	c, err := classify.OpenMemory(nil, classify.Options{Decision: decision.Filter{Positive: "spam"}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	messages, err := fs.Glob(testdata.Mail, "mail/train/*/*.eml")
	if err != nil {
		log.Fatal(err)
	}
	var batch classify.Batch
	for _, name := range messages {
		raw, err := testdata.Mail.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		if err := batch.Train(path.Base(path.Dir(name)), mail.Document(c, raw)); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &batch); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"spam/003.eml", "work/001.eml", "spam/007.eml"} {
		raw, err := testdata.Mail.ReadFile("mail/held/" + name)
		if err != nil {
			log.Fatal(err)
		}
		answer, err := c.Classify(ctx, mail.Document(c, raw))
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case answer.Unsure:
			fmt.Println(name, "is unsure:", answer.Reason)
		case answer.Class == "spam":
			fmt.Println(name, "is spam")
		default:
			fmt.Println(name, "is not spam")
		}
	}
	// Output:
	// spam/003.eml is spam
	// work/001.eml is not spam
	// spam/007.eml is unsure: evidence contradicts itself
}

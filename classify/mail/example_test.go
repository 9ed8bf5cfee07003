package mail_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
)

// Raw messages are learned and classified.
func ExampleDocument() {
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	ctx := context.Background()
	c.Train(ctx, "ham", mail.Document(c, []byte("From: ann@example.org\nSubject: Minutes\n\nThe minutes of the team meeting\n")))
	c.Train(ctx, "spam", mail.Document(c, []byte("From: win@prizes.example\nSubject: You won\n\nClaim your free prize now\n")))

	answer, err := c.Classify(ctx, mail.Document(c, []byte("From: x@prizes.example\nSubject: Your prize\n\nClaim it!\n")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Class)
	// Output: spam
}

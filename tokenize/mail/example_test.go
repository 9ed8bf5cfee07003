package mail_test

import (
	"fmt"

	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

func ExampleRead() {
	a, err := tokenize.New("polya-7 stem=off stop=off")
	if err != nil {
		fmt.Println(err)
		return
	}
	var bag tokenize.Bag
	mail.Read(a, &bag, []byte("From: alice@example.org\nSubject: =?utf-8?q?Caf=C3=A9?=\nX-Spam-Flag: YES\n\nopen today\n"))
	bag.Sort()
	for i := range bag.Len() {
		term, count := bag.At(i)
		fmt.Println(string(term), count)
	}
	// Output:
	// café 1
	// from:alice@example.org 1
	// from:example.org 1
	// missing:date 1
	// missing:message-id 1
	// missing:to 1
	// open 1
	// subject:café 1
	// today 1
}

func ExampleRead_attributes() {
	a, err := tokenize.New("polya-7 attr=sender,hour,recipients")
	if err != nil {
		fmt.Println(err)
		return
	}
	var bag tokenize.Bag
	attributes := mail.Read(a, &bag, []byte("From: Alice <Alice@Example.org>\nDate: Tue, 11 Mar 2025 09:21:04 +0100\nTo: bob@example.net\n\nopen today\n"))
	for _, x := range attributes {
		fmt.Println(x.Name, x.Value)
	}
	// Output:
	// sender alice@example.org
	// hour 09
	// recipients 0.693145751953125
}

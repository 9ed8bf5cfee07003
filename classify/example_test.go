package classify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"testing/fstest"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// A program learns a few texts and asks about another.
func Example() {
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	c, err := classify.Open(filepath.Join(dir, "mail.polya"), classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	ctx := context.Background()
	for text, class := range map[string]string{
		"Claim your free prize now":              "spam",
		"You have won a free holiday, claim now": "spam",
		"Lunch on Thursday with the team?":       "ham",
		"The minutes of the team meeting":        "ham",
	} {
		if _, err := c.Train(ctx, class, c.Document([]byte(text))); err != nil {
			log.Fatal(err)
		}
	}

	answer, err := c.Classify(ctx, c.Document([]byte("A free lunch? Claim your prize!")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %.2f, from %d terms\n", answer.Class, answer.Probability, answer.Terms)
	// Output: spam 0.83, from 5 terms
}

// A database that was learned elsewhere comes with the program: embedded in it
// (//go:embed) or from any other fs.FS. Nothing is left on the disk.
func ExampleOpenMemory() {
	trained, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer trained.Close()
	ctx := context.Background()
	trained.Train(ctx, "sports", trained.Document([]byte("run kick ball run")))
	trained.Train(ctx, "finance", trained.Document([]byte("buy sell sell")))
	var file bytes.Buffer
	if _, err := trained.Store().Backup(context.Background(), &file); err != nil {
		log.Fatal(err)
	}
	embedded := fstest.MapFS{"topics.polya": {Data: file.Bytes()}}

	data, err := fs.ReadFile(embedded, "topics.polya")
	if err != nil {
		log.Fatal(err)
	}
	c, err := classify.OpenMemory(data, classify.Options{Store: store.Options{ReadOnly: true}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	answer, err := c.Classify(ctx, c.Document([]byte("kick the ball")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Class)
	_, err = c.Train(ctx, "sports", c.Document([]byte("throw")))
	fmt.Println(errors.Is(err, store.ErrReadOnly))
	// Output:
	// sports
	// true
}

// Equal texts are one document, unless the program gives them IDs of their own.
func ExampleClassifier_Document() {
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	thanks := []byte("Thank you!")
	c.Train(ctx, "kind", c.Document(thanks))
	c.Train(ctx, "kind", c.Document(thanks)) // learned already
	for _, ticket := range []string{"ticket 4711", "ticket 4712"} {
		doc := c.Document(thanks)
		doc.ID = classify.ContentID([]byte(ticket))
		c.Train(ctx, "kind", doc)
	}
	classes, err := c.Classes()
	if err != nil {
		log.Fatal(err)
	}
	for _, class := range classes {
		fmt.Println(class.Name, class.Docs)
	}
	// Output: kind 3
}

// A ticket has a title, a text, and a value beside its words.
func ExampleDocument() {
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	ticket := func(number, title, text string, priority float64) classify.Document {
		doc := classify.Document{ID: classify.ContentID([]byte(number)), Bag: new(tokenize.Bag)}
		c.Analyzer().Text(doc.Bag, "title", []byte(title))
		c.Analyzer().Text(doc.Bag, "", []byte(text))
		doc.Attributes = []count.Attribute{{Name: "priority", Kind: count.Real, Number: priority}}
		return doc
	}
	for i := range 30 {
		bill, failure := fmt.Sprint("ticket ", 2*i), fmt.Sprint("ticket ", 2*i+1)
		c.Train(ctx, "billing", ticket(bill, "Invoice", "I paid twice, please refund", 1+float64(i%2)))
		c.Train(ctx, "network", ticket(failure, "No connection", "The router blinks red", 3+float64(i%2)))
	}
	answer, err := c.Classify(ctx, ticket("", "Question", "Where is my refund?", 1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Class, answer.Attributes)
	// Output: billing 1
}

// Two thirds of a table are learned, the others asked about, and the answers measured. A row is its
// columns: numbers, categories, and yes or no.
func Example_table() {
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	type row struct {
		class string
		classify.Document
	}
	var held []row
	var batch classify.Batch
	err = corpus.Walk(ctx, "../testdata/parcels.csv", corpus.Options{}, func(d *corpus.Document) error {
		doc := c.Document(d.Content)                // the text, if a column has one
		doc.ID = classify.ContentID([]byte(d.Path)) // the line: rows may be equal
		for _, a := range d.Attributes {
			doc.Attributes = append(doc.Attributes, count.AttributeOf(a.Name, a.Value))
		}
		if doc.ID[0]%3 == 0 {
			held = append(held, row{d.Class, doc})
			return nil
		}
		return batch.Train(d.Class, doc)
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Apply(ctx, &batch); err != nil {
		log.Fatal(err)
	}
	results := &eval.Results{Classes: []string{"late", "punctual"}}
	for _, r := range held {
		answer, err := c.Classify(ctx, r.Document)
		if err != nil {
			log.Fatal(err)
		}
		measured := eval.Answer{
			Class: slices.Index(results.Classes, r.class), Said: slices.Index(results.Classes, answer.Class),
			Posterior: make([]float64, len(results.Classes)),
		}
		for _, p := range answer.Posterior {
			measured.Posterior[slices.Index(results.Classes, p.Class)] = p.Probability
		}
		if err := results.Add(measured); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%d rows held out, accuracy %.2f, log loss %.2f\n", len(held), results.Confusion().Accuracy(), results.LogLoss())
	// Output: 16 rows held out, accuracy 0.75, log loss 0.43
}

// Another process reads the file while this one learns.
func Example_replica() {
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tickets.polya")
	learner, err := classify.Open(path, classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer learner.Close()
	// Without Share the learner could commit nothing until the reader is closed.
	reader, err := classify.Open(path, classify.Options{Store: store.Options{ReadOnly: true, Share: true}})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()

	ctx := context.Background()
	_, err = reader.Classify(ctx, reader.Document([]byte("paid twice")))
	fmt.Println(errors.Is(err, classify.ErrNoDocuments))
	learner.Train(ctx, "billing", learner.Document([]byte("I paid twice")))
	learner.Train(ctx, "network", learner.Document([]byte("No connection")))
	answer, err := reader.Classify(ctx, reader.Document([]byte("paid twice")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Class)
	// Output:
	// true
	// billing
}

// A program that must answer at any moment fits and calibrates its models when it
// suits, and not in the midst of a training.
func ExampleClassifier_Calibrate() {
	c, err := classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	for i := range 40 {
		c.Train(ctx, "even", c.Document(fmt.Appendf(nil, "two four %d", 2*i)))
		c.Train(ctx, "odd", c.Document(fmt.Appendf(nil, "one three %d", 2*i+1)))
	}
	k, err := c.Calibration()
	fmt.Println(k == nil, err)
	if k, err = c.Calibrate(ctx, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(k.Documents)
	// Output:
	// true <nil>
	// 80
}

// What was learned by mistake is taken back exactly, and a document that belongs to another class
// is moved there: by its ID alone, as long as the ledger keeps documents in full.
func ExampleClassifier_Relabel() {
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	c, err := classify.Open(filepath.Join(dir, "mail.polya"), classify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	ctx := context.Background()
	doc := c.Document([]byte("Quarterly invoice attached"))
	byID := classify.Document{ID: doc.ID}
	for _, do := range []func() error{
		func() error { a, err := c.Train(ctx, "spam", doc); fmt.Println("learned", a.Learned); return err },
		func() error { a, err := c.Train(ctx, "spam", doc); fmt.Println("already", a.Already); return err },
		func() error { a, err := c.Relabel(ctx, "work", byID); fmt.Println("moved", a.Moved); return err },
		func() error { a, err := c.Forget(ctx, byID); fmt.Println("forgotten", a.Forgotten); return err },
	} {
		if err := do(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// learned 1
	// already 1
	// moved 1
	// forgotten 1
}

// An explanation says what each term is worth; the parts add up to the
// log-odds of the answer.
func ExampleClassifier_Explain() {
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	c, err := classify.Open(filepath.Join(dir, "sport.polya"), classify.Options{Model: model.Multinomial{Alpha: 1}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	ctx := context.Background()
	c.Train(ctx, "sports", c.Document([]byte("run kick ball run")), c.Document([]byte("kick ball")))
	c.Train(ctx, "finance", c.Document([]byte("buy sell sell")))

	e, err := c.Explain(ctx, c.Document([]byte("run run buy")))
	if err != nil {
		log.Fatal(err)
	}
	sum := e.Prior.LogOdds + e.Length.LogOdds + e.Recent.LogOdds - e.Spread
	fmt.Printf("prior %+.3f\n", e.Prior.LogOdds)
	for _, t := range e.Terms {
		fmt.Printf("%s ×%d %+.3f\n", t.Term, t.Count, t.LogOdds)
		sum += t.LogOdds
	}
	fmt.Printf("%s %+.3f = %+.3f\n", e.Class, e.LogOdds, sum)
	// Output:
	// prior +0.203
	// run ×2 +0.078
	// buy ×1 -0.051
	// sports +0.230 = +0.230
}

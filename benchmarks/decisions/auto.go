package decisions

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
)

// auto measures a daemon's engine on mail in order of time, without and with learning of its
// own sure answers. The first part is taught by people, who then correct a share of the
// errors. Models are fitted after every hundredth message. Poisoned spams have the text of
// honest messages and come in the middle. Where nobody corrected anything, undoing what was
// learned automatically must lead to the dump of a database that never learned by itself.
func auto(ctx context.Context, args []string) {
	f := harness.Flags("decisions auto [flags] DIR (with order.txt, and the classes ham and spam)")
	people := f.Float64("people", .5, "share that people teach")
	correct := f.Float64("correct", .2, "share of errors that people correct")
	poison := f.Int("poison", 0, "poisoned spams")
	docs := harness.Ordered(harness.Parse(f, args, 1, 1)[0])
	taught := int(*people * float64(len(docs)))
	stream := poisoned(docs[taught:], docs[:taught], *poison)
	harness.Head("automatic learning", "messages", "wrong %", "unsure %", "poisoned not called spam", "learned", "corrected", "stopped", "taken back")
	never := flow(ctx, docs[:taught], stream, nil, *correct)
	undone := flow(ctx, docs[:taught], stream, &engine.Auto{}, *correct)
	if *correct == 0 {
		fmt.Println("\nafter all was taken back the dump is that of a database that never learned by itself:", undone == never)
	}
}

// poisoned returns the stream with n spams in its middle to each of which the text of an
// honest message was appended.
func poisoned(stream, taught []harness.Document, n int) []harness.Document {
	if n == 0 {
		return stream
	}
	r := rand.New(rand.NewPCG(1, 1))
	spams, hams := harness.Of(taught, spam), harness.Of(taught, "ham")
	var list []harness.Document
	for i := range n {
		head, body, _ := bytes.Cut(spams[r.IntN(len(spams))].Raw, []byte("\n\n"))
		_, text, _ := bytes.Cut(hams[r.IntN(len(hams))].Raw, []byte("\n\n"))
		list = append(list, harness.Document{Class: "poison", Raw: slices.Concat(head, fmt.Appendf(nil, "\nX-Number: %d\n\n", i), body, []byte("\n"), text, text)})
	}
	half := len(stream) / 2
	return slices.Concat(stream[:half], list, stream[half:])
}

// flow teaches, asks, undoes what was learned automatically and returns the dump.
func flow(ctx context.Context, taught, stream []harness.Document, auto *engine.Auto, correct float64) string {
	dir, remove := harness.Scratch("")
	defer remove()
	e := harness.Must(engine.New(engine.Options{Path: filepath.Join(dir, "polya.db"), Auto: auto, Spam: []string{spam}, Classes: harness.Classes(taught), FitAfter: time.Hour}))
	defer e.Close()
	learn := func(d harness.Document) {
		harness.Must(e.Learn(ctx, backend.Request{Message: d.Raw, Source: "people"}, d.Class))
	}
	for part := range slices.Chunk(taught, 64) {
		harness.Each(len(part), len(part), func(i int) { learn(part[i]) })
	}
	fit(ctx, e)
	r := rand.New(rand.NewPCG(3, 3))
	wrong, unsure, passed := 0, 0, 0
	for i, d := range stream {
		a := harness.Must(e.Classify(ctx, backend.Request{Message: d.Raw}, false))
		switch {
		case d.Class == "poison":
			if a.Class != spam {
				passed++
			}
		case a.Class != d.Class:
			wrong++
			if r.Float64() < correct {
				learn(d)
			}
		}
		if a.Unsure {
			unsure++
		}
		if i%100 == 99 {
			fit(ctx, e)
		}
	}
	cells := []any{auto != nil, len(stream), harness.Percent(wrong, len(stream), 2), harness.Percent(unsure, len(stream), 1), passed}
	if auto != nil {
		s := e.AutoState()
		u := harness.Must(e.Undo(ctx, "", classify.Query{Source: new(engine.AutoSource)}, false))
		cells = append(cells, s.Learned, s.Wrong, s.Stopped, u.Documents)
	}
	harness.Row(cells...)
	var b bytes.Buffer
	harness.Check(e.Use(ctx, "", func(c *classify.Classifier) error { return c.Store().Dump(ctx, &b, false) }))
	return b.String()
}

// fit waits until the queue is learned, and fits.
func fit(ctx context.Context, e *engine.Engine) {
	harness.Check(e.Use(ctx, "", func(c *classify.Classifier) error {
		for last := -1; ; time.Sleep(20 * time.Millisecond) {
			n := 0
			harness.Check(c.Store().View(func(s *store.Snapshot) error { n = int(s.Documents()); return nil }))
			if n == last {
				return c.Refit(ctx)
			}
			last = n
		}
	}))
}

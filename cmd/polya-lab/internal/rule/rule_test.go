package rule

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

var ctx = context.Background()

func openTest(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	db, err := store.OpenMemory(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// learn adds documents as one class.
func learn(t testing.TB, db *store.DB, class string, docs ...count.Document) {
	t.Helper()
	var d store.Delta
	for _, doc := range docs {
		doc.Class = class
		if err := d.Add(doc); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
}

// letter returns a message as its terms.
func letter(id int, terms ...string) count.Document {
	doc := count.Document{Time: time.Unix(1, 0)}
	copy(doc.ID[:], fmt.Sprintf("letter %d", id))
	for _, term := range terms {
		doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(term), N: 1})
	}
	return doc
}

func near(x, y, tol float64) bool { return math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y)) }

// from returns the terms of From.
func from(local string) []string {
	return []string{"from:" + local + "@example.org", "from:example.org", "from:" + local}
}

// letters are random messages: a sender, a recipient, words of a subject, some from
// a list, and words that rules are not made of.
func letters(rng *rand.Rand, n int) []count.Document {
	var docs []count.Document
	for i := range n {
		terms := append(from(fmt.Sprintf("s%d", rng.IntN(6))), fmt.Sprintf("to:r%d@example.org", rng.IntN(4)), "word", "date:+0000")
		for range 1 + rng.IntN(4) {
			terms = append(terms, fmt.Sprintf("subject:w%d", rng.IntN(12)))
		}
		if rng.IntN(3) == 0 {
			terms = append(terms, fmt.Sprintf("list:l%d.example.org", rng.IntN(3)))
		}
		slices.Sort(terms)
		docs = append(docs, letter(i, slices.Compact(terms)...))
	}
	return docs
}

// messages are documents as messages whose header meets the conditions of their terms.
func messages(docs ...count.Document) (list []Message) {
	for _, doc := range docs {
		list = append(list, Message{doc.ID, conditionsOf(doc.Terms)})
	}
	return list
}

func conditionsOf(terms []count.TermCount) (all []Condition) {
	for i := range terms {
		if c, ok := conditionOf(terms[i].Term); ok {
			all = append(all, c)
		}
	}
	return all
}

func rulesOf(t testing.TB, db *store.DB, limit int, positives ...count.Document) Answer {
	t.Helper()
	a, err := Find(ctx, db, messages(positives...), limit)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Against the formulas of the package, counted and multiplied from the documents, whatever
// of the positives is learned.
func TestFindBruteForce(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, known := range []int{0, 2, 4} {
		db := openTest(t, store.Options{})
		docs := letters(rng, 60)
		positives := docs[:4]
		for i, doc := range docs {
			if i >= 4 || i < known {
				learn(t, db, []string{"a", "b"}[i%2], doc)
			}
		}
		got := rulesOf(t, db, 0, positives...)
		want := bruteRules(docs, positives, noise)
		if len(got.Rules) != len(want) || got.Documents != 60 {
			t.Fatalf("%d rules of %d documents; want %d of 60", len(got.Rules), got.Documents, len(want))
		}
		sum := got.None
		for i, r := range got.Rules {
			w := want[r.Condition]
			if r.Size != w.size || r.Covers != w.covers || !near(r.Posterior, w.posterior, 1e-10) {
				t.Errorf("%v: %+v, want %+v", r.Condition, r, w)
			}
			sum += r.Posterior
			if i > 0 && r.Posterior > got.Rules[i-1].Posterior {
				t.Error("the rules are not in order")
			}
		}
		if !near(sum, 1, 1e-12) {
			t.Errorf("the posteriors sum to %v", sum)
		}
	}
}

// bruteRule is what bruteRules knows of a rule.
type bruteRule struct {
	size      uint64
	covers    int
	posterior float64
}

// bruteRules computes the posteriors of the rules from documents alone.
func bruteRules(docs, positives []count.Document, ε float64) map[Condition]bruteRule {
	matching := func(docs []count.Document, c Condition) (n int) {
		for _, d := range docs {
			if slices.Contains(conditionsOf(d.Terms), c) {
				n++
			}
		}
		return n
	}
	values := make(map[Condition]bool)
	kinds := make(map[Kind]float64)
	for _, d := range docs {
		for _, c := range conditionsOf(d.Terms) {
			if !values[c] {
				values[c] = true
				kinds[c.Kind]++
			}
		}
	}
	n, k := float64(len(docs)), len(positives)
	joint := func(size, covers int, prior float64) float64 {
		return prior * math.Pow((1-ε)/float64(size)+ε/n, float64(covers)) * math.Pow(ε/n, float64(k-covers))
	}
	all := make(map[Condition]bruteRule)
	sum := joint(len(docs), k, .05)
	λ := map[Kind]float64{ListID: .25, FromAddress: .25, FromDomain: .1, Recipient: .1, SubjectWord: .05}
	for c := range values {
		if size, covers := matching(docs, c), matching(positives, c); covers > 0 && size < len(docs) {
			j := joint(size, covers, λ[c.Kind]/kinds[c.Kind])
			sum += j
			all[c] = bruteRule{uint64(size), covers, j}
		}
	}
	for c, r := range all {
		r.posterior /= sum
		all[c] = r
	}
	return all
}

// The list of 5 messages is it, not the domain of 40, nor a word that two of three
// have; and where one of four is from elsewhere, it still is.
func TestFindFindTheList(t *testing.T) {
	t.Parallel()
	db := openTest(t, store.Options{})
	var docs []count.Document
	for i := range 40 {
		terms := append(from(fmt.Sprintf("s%d", i)), "to:me@example.net", fmt.Sprintf("subject:w%d", i/2))
		if i < 5 {
			terms = append(terms, "list:walks.example.org")
		}
		docs = append(docs, letter(i, terms...))
	}
	learn(t, db, "ham", docs...)
	want := Condition{ListID, "walks.example.org"}
	a := rulesOf(t, db, 3, docs[:3]...)
	if r := a.Rules[0]; len(a.Rules) != 3 || r.Condition != want || r.Size != 5 || r.Covers != 3 || r.Posterior < .9 {
		t.Errorf("%+v", a)
	}
	a = rulesOf(t, db, 0, docs[0], docs[1], docs[2], docs[20])
	if r := a.Rules[0]; r.Condition != want || r.Covers != 3 {
		t.Errorf("with an exception: %+v", r)
	}
	// Messages with nothing in common but what all mail has have no rule.
	a = rulesOf(t, db, 0, docs[6], docs[10], docs[14], docs[18], docs[22])
	if a.None < .5 || a.Rules[0].Posterior > a.None {
		t.Errorf("%v for no rule, %+v", a.None, a.Rules[0])
	}
}

// Without counts of documents in the ledger the rules are the same.
func TestFindWithoutFullLedger(t *testing.T) {
	t.Parallel()
	for _, ledger := range []count.Ledger{count.LedgerDigest, count.LedgerNone} {
		db := openTest(t, store.Options{Ledger: ledger})
		docs := letters(rand.New(rand.NewPCG(2, 2)), 30)
		learn(t, db, "ham", docs...)
		a := rulesOf(t, db, 0, docs[:3]...)
		if len(a.Rules) == 0 {
			t.Errorf("%v: %+v", ledger, a)
		}
		extra := uint64(0)
		if ledger == count.LedgerNone {
			extra = 3 // nobody knows that they were learned
		}
		if a.Documents != 30+extra {
			t.Errorf("%v: %d documents", ledger, a.Documents)
		}
		for _, r := range a.Rules {
			if r.Size < uint64(r.Covers) {
				t.Errorf("%v: %+v", ledger, r)
			}
		}
	}
}

func TestFindOfNothing(t *testing.T) {
	t.Parallel()
	db := openTest(t, store.Options{})
	if _, err := Find(ctx, db, nil, 0); err == nil {
		t.Error("no positives give no error")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	learn(t, db, "ham", letter(9, "some", "words"))
	if _, err := Find(cancelled, db, messages(letter(1)), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended gives %v", err)
	}
	for _, doc := range []count.Document{{}, letter(1), letter(2, "word", "date:+0000", "from:alice", "list:of", "subject:")} {
		a := rulesOf(t, db, 0, doc)
		if len(a.Rules) != 0 || a.None != 1 || a.Documents != 2 {
			t.Errorf("%+v", a)
		}
	}
	// A database without documents knows the positives.
	empty := openTest(t, store.Options{})
	if a := rulesOf(t, empty, 0, letter(3, from("ann")...), letter(4)); len(a.Rules) != 2 || a.Documents != 2 {
		t.Errorf("%+v", a)
	}
}

// A message given twice is one; the order of the messages does not matter.
func TestFindOfCopies(t *testing.T) {
	t.Parallel()
	db := openTest(t, store.Options{})
	docs := letters(rand.New(rand.NewPCG(3, 3)), 50)
	learn(t, db, "ham", docs[10:]...)
	want := rulesOf(t, db, 0, docs[5:15]...)
	given := slices.Concat(docs[5:15], docs[7:12])
	slices.Reverse(given)
	if got := rulesOf(t, db, 0, given...); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\n%+v", got, want)
	}
}

func TestConditionOf(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]Condition{
		"from:ann@example.org":  {FromAddress, "ann@example.org"},
		"from:example.org":      {FromDomain, "example.org"},
		"to:ann@example.org":    {Recipient, "ann@example.org"},
		"list:a.example.org":    {ListID, "a.example.org"},
		"list:a@example.org":    {ListID, "a@example.org"},
		"subject:offer":         {SubjectWord, "offer"},
		"subject:двa":           {SubjectWord, "двa"},
		"reply-to:ann@x.org":    {},
		"from:ann":              {},
		"to:example.org":        {},
		"list:walkers":          {},
		"subject:":              {},
		"word":                  {},
		"from:":                 {},
		"from:@example":         {},
		"resent-from:a@x.org":   {},
		"url:from:a@b":          {},
		"subject":               {},
		"x-subject:word":        {},
		"delivered-to:a@x.org":  {},
		"msgid:example.org":     {},
		"received:example.org":  {},
		"return-path:a@x.org":   {},
		"":                      {},
		"from":                  {},
		"missing:subject":       {},
		"header:list-subscribe": {},
	} {
		c, ok := conditionOf([]byte(term))
		if ok != (want != Condition{}) || c != want {
			t.Errorf("%q is %v, %v", term, c, ok)
		}
		if ok && c.Term() != term {
			t.Errorf("%q has the term %q", term, c.Term())
		}
	}
}

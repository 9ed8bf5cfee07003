package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/rule"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// experiment is one run over all folders.
type experiment struct {
	least, times, positives int
	seed                    uint64

	db       *classify.Classifier
	messages []message
	folders  []string
	members  map[string][]int // by folder: its messages, ascending
	having   map[string][]int // by term: the messages that have it, ascending
}

// message is one message of the corpus.
type message struct {
	folder string
	doc    classify.Document
}

func (e *experiment) run(ctx context.Context, root string) error {
	dir, err := os.MkdirTemp("", "rules")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e.db, err = classify.Open(filepath.Join(dir, "rules.polya"), classify.Options{})
	if err != nil {
		return err
	}
	defer e.db.Close()
	if err := e.read(root); err != nil {
		return err
	}
	if err := e.learn(ctx); err != nil {
		return err
	}
	var all []folderResult
	for i, folder := range e.folders {
		if len(e.members[folder]) < e.least {
			continue
		}
		r, err := e.ask(ctx, i, folder)
		if err != nil {
			return err
		}
		r.chosenOn = i%2 == 0 // the first, third, …
		all = append(all, r)
	}
	report(os.Stdout, all, len(e.messages))
	return nil
}

// read reads all messages in the order of their paths.
func (e *experiment) read(root string) error {
	paths, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("%s: no messages in folders there: %v", root, err)
	}
	e.members, e.having = make(map[string][]int), make(map[string][]int)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bag := new(tokenize.Bag)
		_ = mail.Tokenize(e.db.Analyzer(), bag, raw) // a broken message is kept too
		folder := filepath.Base(filepath.Dir(path))
		if len(e.members[folder]) == 0 {
			e.folders = append(e.folders, folder)
		}
		e.members[folder] = append(e.members[folder], len(e.messages))
		for i := range bag.Len() {
			term, _ := bag.At(i)
			e.having[string(term)] = append(e.having[string(term)], len(e.messages))
		}
		id := classify.ContentID([]byte(path)) // copies of a message in two folders are two
		e.messages = append(e.messages, message{folder, classify.Document{ID: id, Bag: bag}})
	}
	slices.Sort(e.folders)
	return nil
}

// learn counts all messages as one class.
func (e *experiment) learn(ctx context.Context) error {
	var b classify.Batch
	for _, m := range e.messages {
		if err := b.Train("mail", m.doc); err != nil {
			return err
		}
	}
	_, err := e.db.Apply(ctx, &b)
	return err
}

// ask asks for rules of one folder, which is at place in alphabetical order.
func (e *experiment) ask(ctx context.Context, place int, folder string) (folderResult, error) {
	r := folderResult{folder: folder, size: len(e.members[folder])}
	random := rand.New(rand.NewPCG(e.seed, uint64(place)))
	for range e.times {
		given := slices.Clone(e.members[folder])
		random.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
		given = given[:e.positives]
		docs := make([]count.Document, len(given))
		for i, m := range given {
			docs[i] = e.messages[m].doc.Counted("mail")
		}
		answer, err := rule.Find(ctx, e.db.Store(), docs, rule.Options{})
		if err != nil {
			return r, err
		}
		var t trial
		if len(answer.Rules) > 0 {
			t.rule = e.outcome(folder, given, answer.Rules[0].Conditions)
			t.sure = answer.Rules[0].Posterior > answer.None
			t.pair = len(answer.Rules[0].Conditions) == 2
			t.value = e.outcome(folder, given, mostFrequent(answer.Rules, byKind))
			t.rarest = e.outcome(folder, given, mostFrequent(answer.Rules, bySize))
			t.best = e.best(folder, given, answer.Rules)
		}
		r.trials = append(r.trials, t)
	}
	return r, nil
}

// mostFrequent returns the single condition that covers the most given messages, of
// equals the first in order.
func mostFrequent(rules []rule.Rule, order func(a, b rule.Rule) int) []rule.Condition {
	var singles []rule.Rule
	for _, r := range rules {
		if len(r.Conditions) == 1 {
			singles = append(singles, r)
		}
	}
	slices.SortStableFunc(singles, func(a, b rule.Rule) int {
		if a.Covers != b.Covers {
			return b.Covers - a.Covers
		}
		return order(a, b)
	})
	return singles[0].Conditions
}

func byKind(a, b rule.Rule) int {
	x, y := a.Conditions[0], b.Conditions[0]
	if x.Kind != y.Kind {
		return int(x.Kind) - int(y.Kind)
	}
	if x.Value < y.Value {
		return -1
	}
	return 1
}

func bySize(a, b rule.Rule) int {
	if a.Size != b.Size {
		return int(a.Size) - int(b.Size)
	}
	return byKind(a, b)
}

// best returns the outcome of the precise rule with the greatest recall, which can be
// chosen only with knowledge of the folder.
func (e *experiment) best(folder string, given []int, rules []rule.Rule) outcome {
	best := outcome{others: len(e.members[folder]) - len(given)}
	for _, r := range rules {
		if o := e.outcome(folder, given, r.Conditions); o.isPrecise() && o.right > best.right {
			best = o
		}
	}
	return best
}

// outcome compares the messages that a rule matches, other than the given ones, with the folder.
func (e *experiment) outcome(folder string, given []int, rule []rule.Condition) outcome {
	o := outcome{others: len(e.members[folder]) - len(given)}
	for _, m := range e.matched(rule) {
		if slices.Contains(given, m) {
			continue
		}
		o.matched++
		if e.messages[m].folder == folder {
			o.right++
		}
	}
	return o
}

// matched returns the messages that meet all conditions.
func (e *experiment) matched(rule []rule.Condition) []int {
	var all []int
	for _, m := range e.having[rule[0].Term()] {
		ok := true
		for _, c := range rule[1:] {
			_, found := slices.BinarySearch(e.having[c.Term()], m)
			ok = ok && found
		}
		if ok {
			all = append(all, m)
		}
	}
	return all
}

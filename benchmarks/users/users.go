// Package users measures the gain from a database of one user's own mail over a base that
// has learned the mail of the others; see classify.View.
//
// The honest mail of a corpus is split by mailing list: the mail of a list, with a share of
// the spam, is a user, and the rest is the base, which has never seen the list. A user's
// messages are in random order: as many of the first half as the table says are learned,
// and the second half is classified. It prints the error and the log loss of the base
// alone, of the user's database alone, of the sum of both, and of the sum with the user's
// own posterior as far as his record allows it.
package users

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/blend"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

// message is a message and the mailing list that it came by, if any.
type message struct {
	harness.Document
	list string
}

var listID = regexp.MustCompile(`(?im)^list-id:[^<\n]*<([^>\n]+)>`)

// lists are the users.
var lists = []string{"fork.xent.com", "ilug.linux.ie", "rpm-zzzlist.freshrpms.net", "razor-users.example.sourceforge.net"}

// Run is the measure.
func Run(_ context.Context, args []string) {
	f := harness.Flags("users [-swapped] [-errors] [-rescues] DIR")
	swapped := f.Bool("swapped", false, "users who disagree with the base: the list is spam to them, and spam a list of theirs")
	errors := f.Bool("errors", false, "users teach only what was answered wrong or less than 90 % sure")
	oneSided := f.Bool("rescues", false, "users teach one class alone: near copies of a message of the other, or what the base takes for it least")
	messages := read(harness.Parse(f, args, 1, 1)[0])
	if *oneSided {
		rescues(messages)
		return
	}
	b := &bench{swapped: *swapped, errors: *errors, sums: make(map[int]*[columns]sum)}
	for _, list := range lists {
		b.user(messages, list)
	}
	fmt.Printf("%-34s                base alone      user alone      sum             sum and own\n", "all")
	for _, size := range sizes {
		if b.sums[size] != nil {
			fmt.Printf("%34d              %s\n", size, shown(b.sums[size]))
		}
	}
}

func read(dir string) (list []message) {
	for _, d := range harness.Folders(dir) {
		m := message{Document: d}
		head, _, _ := bytes.Cut(d.Raw, []byte("\n\n"))
		if found := listID.FindSubmatch(head); found != nil && d.Class == "ham" {
			m.list = strings.ToLower(string(found[1]))
		}
		list = append(list, m)
	}
	return list
}

// sum adds up errors and losses.
type sum struct {
	n, wrong int
	loss     float64
}

func (s *sum) add(r classify.Result, class string) {
	s.n++
	if len(r.Posterior) == 0 || r.Posterior[0].Class != class {
		s.wrong++
	}
	s.loss -= math.Log(max(r.ProbabilityOf(class), 1e-6))
}

// columns are the answers compared.
const columns = 4

func shown(s *[columns]sum) (text string) {
	for k := range s {
		n := float64(max(s[k].n, 1))
		text += fmt.Sprintf("  %6.2f %% %.3f", 100*float64(s[k].wrong)/n, s[k].loss/n)
	}
	return text
}

type bench struct {
	swapped, errors bool
	sums            map[int]*[columns]sum
}

var sizes = []int{0, 10, 50, 200, 1000}

// split returns the messages of a user, in random order, and those of the base.
func (b *bench) split(messages []message, list string) (own, others []message, hams int) {
	r := rand.New(rand.NewPCG(7, uint64(len(list))))
	for _, m := range messages {
		if m.list == list {
			own = append(own, m)
		}
	}
	hams = len(own)
	spam := 0
	for _, i := range r.Perm(len(messages)) {
		switch m := messages[i]; {
		case m.list == list:
		case m.Class == "spam" && spam < max(hams/2, 100):
			spam++
			own = append(own, m)
		default:
			others = append(others, m)
		}
	}
	r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	for i := range own {
		if b.swapped {
			own[i].Class = otherClass[own[i].Class]
		}
	}
	return own, others, hams
}

var otherClass = map[string]string{"ham": "spam", "spam": "ham"}

// user measures one user.
func (b *bench) user(messages []message, list string) {
	ctx := context.Background()
	own, others, hams := b.split(messages, list)
	base := baseOf(others, nil)
	defer base.Close()
	user := harness.Must(classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand}))
	defer user.Close()
	learn, asked := own[:len(own)/2], own[len(own)/2:]
	if hams > 900 {
		learn, asked = own[:1000], own[1000:]
	}
	at, taught := 0, 0
	w := classify.SumAlone
	v := harness.Must(classify.NewView(base, user))
	weigh := func() { w = harness.Must(blend.Learn(ctx, v, 1000)) }
	for _, size := range sizes {
		if size > len(learn) {
			break
		}
		for ; at < size; at++ {
			m := learn[at]
			doc := mail.Document(user, m.Raw)
			if b.errors {
				if r := answers(base, user, v, w, doc)[3]; r.ProbabilityOf(m.Class) > .9 {
					continue
				}
			}
			taught++
			harness.Must(user.Train(ctx, m.Class, doc))
			if b.errors && taught%5 == 0 {
				weigh()
			}
		}
		if taught > 0 {
			harness.Check(user.Refit(ctx))
			weigh()
		}
		if b.sums[size] == nil {
			b.sums[size] = new([columns]sum)
		}
		var mine [columns]sum
		for _, m := range asked {
			for k, r := range answers(base, user, v, w, mail.Document(base, m.Raw)) {
				b.sums[size][k].add(r, m.Class)
				mine[k].add(r, m.Class)
			}
		}
		fmt.Printf("%-28.28s %5d learned %4d %s  weights %.2f %.2f\n", list, size, taught, shown(&mine), w.Sum, w.Own)
	}
}

// baseOf returns a shared database that has learned these messages.
func baseOf(messages []message, d decision.Decision) *classify.Classifier {
	base := harness.Must(classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand, Decision: d}))
	var docs []harness.Document
	for _, m := range messages {
		docs = append(docs, m.Document)
	}
	harness.Learn(base, docs, func(d harness.Document) classify.Document { return mail.Document(base, d.Raw) })
	return base
}

// answers returns those of the base, of the user, of their sum, and of all by weights.
func answers(base, user *classify.Classifier, v *classify.View, w classify.Weights, doc classify.Document) (all [columns]classify.Result) {
	ctx := context.Background()
	all[0] = harness.Must(base.Classify(ctx, doc))
	r, err := user.Classify(ctx, doc)
	if err != classify.ErrNoDocuments {
		harness.Check(err)
		all[1] = r
	}
	for k, w := range []classify.Weights{classify.SumAlone, w} {
		v.Weigh(w)
		all[2+k] = harness.Must(v.Classify(ctx, doc))
	}
	return all
}

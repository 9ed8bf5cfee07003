package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/blend"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

// The base of rescues, and what is asked.
const (
	baseHams, baseSpams   = 1500, 840
	askedHams, askedSpams = 400, 120
	rescueTrials          = 6
	newCopies             = 5
)

// rescues measures users who teach one class only: what was wrongly called spam, or what was
// wrongly called ham.
func rescues(messages []message) error {
	fmt.Println("                                   spams asked          hams asked           5 next copies")
	fmt.Println("class  kind     trial lessons    yes unsure  no       yes unsure  no       yes unsure  no   became sure of the class")
	for trial := range rescueTrials {
		r := rand.New(rand.NewPCG(11, uint64(trial)))
		by := map[string][]message{}
		for _, i := range r.Perm(len(messages)) {
			by[messages[i].class] = append(by[messages[i].class], messages[i])
		}
		base, err := baseOf(slices.Concat(by["ham"][:baseHams], by["spam"][:baseSpams]), decision.Filter{Positive: "spam"})
		if err != nil {
			return err
		}
		asked := slices.Concat(by["ham"][baseHams:][:askedHams], by["spam"][baseSpams:][:askedSpams])
		left := map[string][]message{"ham": by["ham"][baseHams+askedHams:], "spam": by["spam"][baseSpams+askedSpams:]}
		for _, class := range []string{"ham", "spam"} {
			other := map[string]string{"ham": "spam", "spam": "ham"}[class]
			x := &rescue{base: base, asked: asked, class: class, trial: trial}
			one := left[other][trial]
			if err := x.user("copies", func(i int) []byte { return nearCopy(one.raw, i) }); err != nil {
				return err
			}
			wrong, err := x.leastLike(left[class])
			if err != nil {
				return err
			}
			if err := x.user("diverse", func(i int) []byte { return wrong[min(i, len(wrong)-1)].raw }); err != nil {
				return err
			}
		}
		base.Close()
	}
	return nil
}

type rescue struct {
	base  *classify.Classifier
	asked []message
	class string // what is taught
	trial int
}

// leastLike returns the messages that the base takes least for their class.
func (x *rescue) leastLike(messages []message) ([]message, error) {
	type odd struct {
		message
		p float64
	}
	var list []odd
	for _, m := range messages {
		r, err := x.base.Classify(context.Background(), mail.Document(x.base, m.raw))
		if err != nil {
			return nil, err
		}
		list = append(list, odd{m, r.ProbabilityOf(m.class)})
	}
	slices.SortStableFunc(list, func(a, b odd) int { return cmp.Compare(a.p, b.p) })
	var all []message
	for _, o := range list {
		all = append(all, o.message)
	}
	return all, nil
}

// user teaches messages and prints the answers after some of them.
func (x *rescue) user(kind string, lesson func(i int) []byte) error {
	ctx := context.Background()
	user, err := classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand})
	if err != nil {
		return err
	}
	defer user.Close()
	v, err := classify.NewView(x.base, user)
	if err != nil {
		return err
	}
	var before []string
	at := 0
	for _, size := range []int{0, 1, 3, 10, 50} {
		for ; at < size; at++ {
			if _, err := user.Train(ctx, x.class, mail.Document(user, lesson(at))); err != nil {
				return err
			}
		}
		if err := user.Refit(ctx); err != nil {
			return err
		}
		w, err := blend.Learn(ctx, v, 1000)
		if err != nil {
			return err
		}
		v.Weigh(w)
		var said []string
		counts := map[string]int{}
		ask := func(of string, raw []byte) error {
			r, err := v.Classify(ctx, mail.Document(x.base, raw))
			answer := r.Class
			if r.Unsure {
				answer = "unsure"
			}
			said = append(said, answer)
			counts[of+" "+answer]++
			return err
		}
		for _, m := range x.asked {
			if err := ask(m.class, m.raw); err != nil {
				return err
			}
		}
		became := 0
		for i := range x.asked {
			if before != nil && said[i] == x.class && before[i] != x.class && x.asked[i].class != x.class {
				became++
			}
		}
		for i := range newCopies {
			if err := ask("copy", lesson(1000+i)); kind == "copies" && err != nil {
				return err
			}
			if kind != "copies" {
				break
			}
		}
		if before == nil {
			before = said
		}
		fmt.Printf("%-6s %-8s %5d %7d   %4d %6d %3d      %4d %6d %3d      %4d %6d %3d   %d", x.class, kind, x.trial, size,
			counts["spam spam"], counts["spam unsure"], counts["spam ham"], counts["ham spam"], counts["ham unsure"], counts["ham ham"],
			counts["copy spam"], counts["copy unsure"], counts["copy ham"], became)
		if w != classify.SumAlone {
			fmt.Printf(" weights %.2f %.2f", w.Sum, w.Own)
		}
		fmt.Println()
	}
	return nil
}

var words = regexp.MustCompile(`\b[a-z]{4,}\b`)

// nearCopy returns the i-th copy of a message, with an ID of its own and one in thirty words of the body
// exchanged for others.
func nearCopy(raw []byte, i int) []byte {
	r := rand.New(rand.NewPCG(5, uint64(i)))
	head, body, _ := bytes.Cut(raw, []byte("\n\n"))
	head = regexp.MustCompile(`(?im)^message-id:.*$`).ReplaceAll(head, fmt.Appendf(nil, "Message-ID: <copy%d@example.org>", i))
	body = words.ReplaceAllFunc(body, func(w []byte) []byte {
		if r.IntN(30) > 0 {
			return w
		}
		return fmt.Appendf(nil, "word%d", r.IntN(5000))
	})
	return slices.Concat(head, []byte("\n\n"), body)
}

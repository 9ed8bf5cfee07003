package users

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
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
func rescues(messages []message) {
	fmt.Println("                                   spams asked          hams asked           5 next copies")
	fmt.Println("class  kind     trial lessons    yes/unsure/no        yes/unsure/no        yes/unsure/no   became sure of the class")
	for trial := range rescueTrials {
		r := rand.New(rand.NewPCG(11, uint64(trial)))
		by := map[string][]message{}
		for _, i := range r.Perm(len(messages)) {
			by[messages[i].Class] = append(by[messages[i].Class], messages[i])
		}
		base := baseOf(slices.Concat(by["ham"][:baseHams], by["spam"][:baseSpams]), decision.Filter{Positive: "spam"})
		asked := slices.Concat(by["ham"][baseHams:][:askedHams], by["spam"][baseSpams:][:askedSpams])
		left := map[string][]message{"ham": by["ham"][baseHams+askedHams:], "spam": by["spam"][baseSpams+askedSpams:]}
		for _, class := range []string{"ham", "spam"} {
			x := &rescue{base: base, asked: asked, class: class, trial: trial}
			one := left[otherClass[class]][trial]
			x.user("copies", func(i int) []byte { return nearCopy(one.Raw, i) })
			wrong := x.leastLike(left[class])
			x.user("diverse", func(i int) []byte { return wrong[min(i, len(wrong)-1)].Raw })
		}
		base.Close()
	}
}

type rescue struct {
	base  *classify.Classifier
	asked []message
	class string // what is taught
	trial int
}

// leastLike returns the messages in the order in which the base takes them least for their class.
func (x *rescue) leastLike(messages []message) []message {
	p := make(map[string]float64)
	for _, m := range messages {
		r := harness.Must(x.base.Classify(context.Background(), mail.Document(x.base, m.Raw)))
		p[m.Path] = r.ProbabilityOf(m.Class)
	}
	list := slices.Clone(messages)
	slices.SortStableFunc(list, func(a, b message) int { return cmp.Compare(p[a.Path], p[b.Path]) })
	return list
}

// user teaches messages and prints the answers after some of them.
func (x *rescue) user(kind string, lesson func(i int) []byte) {
	ctx := context.Background()
	user := harness.Must(classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand}))
	defer user.Close()
	v := harness.Must(classify.NewView(x.base, user))
	var before []bool // for each message asked: whether it is surely of the class
	at := 0
	for _, size := range []int{0, 1, 3, 10, 50} {
		for ; at < size; at++ {
			harness.Must(user.Train(ctx, x.class, mail.Document(user, lesson(at))))
		}
		harness.Check(user.Refit(ctx))
		w := harness.Must(blend.Learn(ctx, v, 1000))
		v.Weigh(w)
		var said []bool
		counts := map[string]*harness.Tally{"spam": {}, "ham": {}, "copy": {}}
		ask := func(of string, raw []byte) {
			r := harness.Must(v.Classify(ctx, mail.Document(x.base, raw)))
			counts[of].Add(r.Class == "spam", r.Unsure)
			said = append(said, r.Class == x.class && !r.Unsure)
		}
		for _, m := range x.asked {
			ask(m.Class, m.Raw)
		}
		became := 0
		for i := range before {
			if said[i] && !before[i] && x.asked[i].Class != x.class {
				became++
			}
		}
		if before == nil {
			before = said
		}
		for i := range newCopies {
			if kind == "copies" {
				ask("copy", lesson(1000+i))
			}
		}
		fmt.Printf("%-6s %-8s %5d %7d   %v          %v          %v   %d", x.class, kind, x.trial, size, counts["spam"], counts["ham"], counts["copy"], became)
		if w != classify.SumAlone {
			fmt.Printf(" weights %.2f %.2f", w.Sum, w.Own)
		}
		fmt.Println()
	}
}

var words, messageID = regexp.MustCompile(`\b[a-z]{4,}\b`), regexp.MustCompile(`(?im)^message-id:.*$`)

// nearCopy returns the i-th copy of a message, with an ID of its own and one in thirty words of the body
// exchanged for others.
func nearCopy(raw []byte, i int) []byte {
	r := rand.New(rand.NewPCG(5, uint64(i)))
	head, body, _ := bytes.Cut(raw, []byte("\n\n"))
	head = messageID.ReplaceAll(head, fmt.Appendf(nil, "Message-ID: <copy%d@example.org>", i))
	body = words.ReplaceAllFunc(body, func(w []byte) []byte {
		if r.IntN(30) > 0 {
			return w
		}
		return fmt.Appendf(nil, "word%d", r.IntN(5000))
	})
	return slices.Concat(head, []byte("\n\n"), body)
}

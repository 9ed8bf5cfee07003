package decisions

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
	"github.com/polya-classifier/polya/classify/mail"
)

// What lessons takes of a corpus, and how often it draws.
const (
	baseHams, baseSpams   = 1500, 840
	askedHams, askedSpams = 400, 120
	lessonDraws           = 6
	newCopies             = 5
)

// lessons measures users who teach one class alone: near copies of one message of the other
// class, or what the base takes least for the class. What they have taught must not turn
// other mail into that class.
func lessons(ctx context.Context, args []string) {
	f := harness.Flags("decisions lessons CORPUS (with the folders ham and spam)")
	all := read(harness.Folders(harness.Parse(f, args, 1, 1)[0]))
	harness.Head("draw", "class taught", "lessons", "number", "spams yes/unsure/no", "hams", fmt.Sprintf("%d next copies", newCopies), "others that became sure of the class", "weights")
	for draw := range lessonDraws {
		by := byClass(all, uint64(draw))
		hams, leftHams := must(by["ham"], baseHams+askedHams)
		spams, leftSpams := must(by[spam], baseSpams+askedSpams)
		x := &lesson{draw: draw, base: learned(slices.Concat(hams[:baseHams], spams[:baseSpams]), filterSpam), asked: slices.Concat(hams[baseHams:], spams[baseSpams:])}
		left := map[string][]document{"ham": leftHams, spam: leftSpams}
		for _, class := range []string{"ham", spam} {
			others, _ := must(left[otherClass[class]], lessonDraws)
			x.teach(ctx, class, "copies", func(i int) []byte { return nearCopy(others[draw].Raw, i) })
			least := x.leastLike(left[class])
			x.teach(ctx, class, "diverse", func(i int) []byte { return least[min(i, len(least)-1)].Raw })
		}
		x.base.Close()
	}
}

type lesson struct {
	draw  int
	base  *classify.Classifier
	asked []document
}

// probability returns the probability of a class.
func probability(r classify.Result, class string) float64 {
	at := slices.IndexFunc(r.Posterior, func(p classify.ClassProbability) bool { return p.Class == class })
	if at < 0 {
		return 0
	}
	return r.Posterior[at].Probability
}

// leastLike returns documents, first those that the base takes least for their class.
func (x *lesson) leastLike(docs []document) []document {
	p := make(map[string]float64)
	for _, d := range docs {
		p[d.Path] = probability(harness.Classify(x.base, d.doc), d.Class)
	}
	return slices.SortedStableFunc(slices.Values(docs), func(a, b document) int { return cmp.Compare(p[a.Path], p[b.Path]) })
}

// teach teaches a user messages of one class, and prints the answers after some of them.
func (x *lesson) teach(ctx context.Context, class, kind string, message func(i int) []byte) {
	user := harness.Memory(nil)
	defer user.Close()
	v := harness.Must(classify.NewView(x.base, user))
	var before []bool // of each document asked: surely of the class
	at := 0
	for _, size := range []int{0, 1, 3, 10, 50} {
		for ; at < size; at++ {
			harness.Must(user.Train(ctx, class, mail.Document(user, message(at))))
		}
		harness.Check(user.Refit(ctx))
		w := harness.Must(blend.Learn(ctx, v, 1000))
		v.Weigh(w)
		var a answers
		var copies harness.Tally
		var said []bool
		became := 0
		for i, d := range x.asked {
			r := harness.Must(v.Classify(ctx, d.doc))
			a.add(d, r.Class == spam, r.Unsure)
			said = append(said, r.Class == class && !r.Unsure)
			if before != nil && said[i] && !before[i] && d.Class != class {
				became++
			}
		}
		if before == nil {
			before = said
		}
		for i := range newCopies {
			if kind == "copies" {
				r := harness.Must(v.Classify(ctx, mail.Document(x.base, message(1000+i))))
				copies.Add(r.Class == spam, r.Unsure)
			}
		}
		harness.Row(x.draw, class, kind, size, a.spams, a.hams, copies, became, weights(w))
	}
}

var words, messageID = regexp.MustCompile(`\b[a-z]{4,}\b`), regexp.MustCompile(`(?im)^message-id:.*$`)

// nearCopy returns the i-th copy of a message, with an ID of its own and one in thirty words
// of the body exchanged for others.
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

// Users measures the gain from a database of one user's own mail over a base that has
// learned the mail of the others; see classify.View.
//
//	users [-swapped] [-errors] [-rescues] DIR
//
// DIR is the SpamAssassin corpus as folders ham and spam. Its honest mail is split by
// mailing list: the mail of a list, with a share of the spam, is a user, and the rest is
// the base, which has never seen the list. A user's messages are in random order: as many
// of the first half as the table says are learned, and the second half is classified. It
// prints the error and the log loss of the base alone, of the user's database alone, of the
// sum of both, and of the sum with the user's own posterior as far as his record allows it.
//
// With -swapped a user takes the mail of the list for spam, and the spam of a list of his
// own for ham: somebody who disagrees with the base. With -errors a user teaches only
// messages for which the answer was wrong or less than 90 % sure.
//
// With -rescues users teach one class alone: near copies of a message of the other class, or
// the messages of that class that the base takes for it least. It prints the answers of a filter
// for spam to other mail, and to the next copies.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/blend"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

type message struct {
	class, list string
	raw         []byte
}

var listID = regexp.MustCompile(`(?im)^list-id:[^<\n]*<([^>\n]+)>`)

func main() {
	log.SetFlags(0)
	swapped := flag.Bool("swapped", false, "the user disagrees with the base")
	errors := flag.Bool("errors", false, "the user teaches errors only")
	oneSided := flag.Bool("rescues", false, "users who teach one class")
	flag.Parse()
	messages, err := read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if *oneSided {
		if err := rescues(messages); err != nil {
			log.Fatal(err)
		}
		return
	}
	b := &bench{swapped: *swapped, errors: *errors, sums: make(map[int]*[columns]sum)}
	for _, list := range []string{"fork.xent.com", "ilug.linux.ie", "rpm-zzzlist.freshrpms.net", "razor-users.example.sourceforge.net"} {
		if err := b.user(messages, list); err != nil {
			log.Fatal(err)
		}
	}
	b.print()
}

func read(dir string) ([]message, error) {
	var list []message
	for _, class := range []string{"ham", "spam"} {
		names, err := filepath.Glob(filepath.Join(dir, class, "*"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			m := message{class: class, raw: raw}
			head, _, _ := bytes.Cut(raw, []byte("\n\n"))
			if found := listID.FindSubmatch(head); found != nil && class == "ham" {
				m.list = strings.ToLower(string(found[1]))
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// sum adds up errors and losses.
type sum struct {
	n, wrong int
	loss     float64
}

func (s *sum) add(posterior []classify.ClassProbability, class string) {
	s.n++
	best, own := 0., 1e-6
	said := ""
	for _, p := range posterior {
		if p.Probability > best {
			best, said = p.Probability, p.Class
		}
		if p.Class == class {
			own = max(own, p.Probability)
		}
	}
	if said != class {
		s.wrong++
	}
	s.loss -= math.Log(own)
}

// columns are the answers compared.
const columns = 4

type bench struct {
	swapped, errors bool
	sums            map[int]*[columns]sum
}

var sizes = []int{0, 10, 50, 200, 1000}

// user measures one user.
func (b *bench) user(messages []message, list string) error {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, uint64(len(list))))
	var own, others []message
	spam := 0
	for _, m := range messages {
		if m.list == list {
			own = append(own, m)
		}
	}
	hams := len(own)
	for _, i := range r.Perm(len(messages)) {
		switch m := messages[i]; {
		case m.list == list:
		case m.class == "spam" && spam < max(hams/2, 100):
			spam++
			own = append(own, m)
		default:
			others = append(others, m)
		}
	}
	r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	if b.swapped {
		for i := range own {
			own[i].class = map[string]string{"ham": "spam", "spam": "ham"}[own[i].class]
		}
	}
	base, err := baseOf(others, nil)
	if err != nil {
		return err
	}
	defer base.Close()
	user, err := classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand})
	if err != nil {
		return err
	}
	defer user.Close()
	learn, asked := own[:len(own)/2], own[len(own)/2:]
	if hams > 900 {
		learn, asked = own[:1000], own[1000:]
	}
	at, taught := 0, 0
	w := classify.SumAlone
	v, err := classify.NewView(base, user)
	if err != nil {
		return err
	}
	for _, size := range sizes {
		if size > len(learn) {
			break
		}
		for ; at < size; at++ {
			m := learn[at]
			doc := mail.Document(user, m.raw)
			if b.errors {
				p, err := b.answers(ctx, base, user, v, w, doc)
				if err != nil {
					return err
				}
				if of(p[3], m.class) > .9 {
					continue
				}
			}
			taught++
			if _, err := user.Train(ctx, m.class, doc); err != nil {
				return err
			}
			if b.errors && taught%5 == 0 {
				if w, err = blend.Learn(ctx, v, 1000); err != nil {
					return err
				}
			}
		}
		if taught > 0 {
			if err := user.Refit(ctx); err != nil {
				return err
			}
			if w, err = blend.Learn(ctx, v, 1000); err != nil {
				return err
			}
		}
		if b.sums[size] == nil {
			b.sums[size] = new([columns]sum)
		}
		var mine [columns]sum
		for _, m := range asked {
			p, err := b.answers(ctx, base, user, v, w, mail.Document(base, m.raw))
			if err != nil {
				return err
			}
			for k := range p {
				b.sums[size][k].add(p[k], m.class)
				mine[k].add(p[k], m.class)
			}
		}
		fmt.Printf("%-28.28s %5d learned %4d ", list, size, taught)
		show(&mine)
		fmt.Printf("  weights %.2f %.2f\n", w.Sum, w.Own)
	}
	return nil
}

// baseOf returns a shared database that has learned these messages.
func baseOf(messages []message, d decision.Decision) (*classify.Classifier, error) {
	base, err := classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand, Decision: d})
	if err != nil {
		return nil, err
	}
	var batch classify.Batch
	for _, m := range messages {
		if err := batch.Train(m.class, mail.Document(base, m.raw)); err != nil {
			return nil, err
		}
	}
	if _, err := base.Apply(context.Background(), &batch); err != nil {
		return nil, err
	}
	return base, base.Refit(context.Background())
}

func of(posterior []classify.ClassProbability, class string) float64 {
	for _, p := range posterior {
		if p.Class == class {
			return p.Probability
		}
	}
	return 0
}

// answers returns the posteriors of the base, of the user, of their sum, and of all by weights.
func (b *bench) answers(ctx context.Context, base, user *classify.Classifier, v *classify.View, w classify.Weights, doc classify.Document) (p [columns][]classify.ClassProbability, err error) {
	r, err := base.Classify(ctx, doc)
	if err != nil {
		return p, err
	}
	p[0] = r.Posterior
	if r, err := user.Classify(ctx, doc); err == nil {
		p[1] = r.Posterior
	} else if err != classify.ErrNoDocuments {
		return p, err
	}
	for k, w := range []classify.Weights{classify.SumAlone, w} {
		v.Weigh(w)
		r, err := v.Classify(ctx, doc)
		if err != nil {
			return p, err
		}
		p[2+k] = r.Posterior
	}
	return p, nil
}

func show(s *[columns]sum) {
	for k := range s {
		n := float64(max(s[k].n, 1))
		fmt.Printf("  %6.2f %% %.3f", 100*float64(s[k].wrong)/n, s[k].loss/n)
	}
}

func (b *bench) print() {
	fmt.Printf("%-28s %5s                base alone      user alone      sum             sum and own\n", "all", "")
	for _, size := range sizes {
		if b.sums[size] != nil {
			fmt.Printf("%34d              ", size)
			show(b.sums[size])
			fmt.Println()
		}
	}
}

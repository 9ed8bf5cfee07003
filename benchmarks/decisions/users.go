package decisions

import (
	"bytes"
	"context"
	"regexp"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/blend"
)

// lists are mailing lists of the SpamAssassin corpus. Each is a user: its messages, and some
// spam, are his mail.
var lists = []string{"fork.xent.com", "ilug.linux.ie", "rpm-zzzlist.freshrpms.net", "razor-users.example.sourceforge.net"}

// listOf returns the list that an honest message came by, if any.
func listOf(d document) string {
	head, _, _ := bytes.Cut(d.Raw, []byte("\n\n"))
	if found := listID.FindSubmatch(head); found != nil && d.Class == "ham" {
		return string(bytes.ToLower(found[1]))
	}
	return ""
}

var listID = regexp.MustCompile(`(?im)^list-id:[^<\n]*<([^>\n]+)>`)

// columns are the answers compared: of the base alone, of the user's database alone, of the
// sum of both, and of the sum with the user's own posterior as far as his record allows it.
var columns = []string{"base alone", "user alone", "sum", "sum and own"}

// sizes are the numbers of messages after which answers are compared.
var sizes = []int{0, 10, 50, 200, 1000}

// users measures a user's own database over a shared one that has learned the mail of all
// others. Half of a user's mail is taught in random order, and the other half asked about.
func users(ctx context.Context, args []string) {
	f := harness.Flags("decisions users CORPUS (SpamAssassin's, whose messages name their lists)")
	all := read(harness.Folders(harness.Parse(f, args, 1, 1)[0]))
	harness.Head(append([]string{"list", "taught", "asked"}, append(columns, "weights")...)...)
	wrong, asked := map[int]*[4]int{}, map[int]int{}
	for _, list := range lists {
		own, others := split(all, list)
		if len(own) == 0 {
			harness.Failf("no message came by the list %s", list)
		}
		base := learned(others, nil)
		user(ctx, base, own, list, func(size, n int, missed [4]int) {
			if wrong[size] == nil {
				wrong[size] = new([4]int)
			}
			for k := range missed {
				wrong[size][k] += missed[k]
			}
			asked[size] += n
		})
		base.Close()
	}
	for _, size := range sizes {
		if wrong[size] != nil {
			harness.Row(append([]any{"all", size, asked[size]}, shares(*wrong[size], asked[size])...)...)
		}
	}
}

// shares are errors in percent.
func shares(wrong [4]int, asked int) (cells []any) {
	for _, n := range wrong {
		cells = append(cells, harness.Percent(n, asked, 2))
	}
	return cells
}

// split returns the messages of a user, in random order, and those of the base.
func split(all []document, list string) (own, others []document) {
	hams, spams := 0, 0
	for _, d := range all {
		if listOf(d) == list {
			hams++
		}
	}
	for _, d := range harness.Shuffled(all, uint64(len(list))) {
		switch {
		case listOf(d) == list:
		case d.Class == spam && spams < max(hams/2, 100):
			spams++
		default:
			others = append(others, d)
			continue
		}
		own = append(own, d)
	}
	return own, others
}

// user teaches one user's mail and reports the errors of each column after some of it.
func user(ctx context.Context, base *classify.Classifier, own []document, list string, report func(size, asked int, wrong [4]int)) {
	user := harness.Memory(nil)
	defer user.Close()
	learn, asked := own[:len(own)/2], own[len(own)/2:]
	if len(own) > 1500 {
		learn, asked = own[:1000], own[1000:]
	}
	v, w := harness.Must(classify.NewView(base, user)), classify.Weights{Sum: 1}
	at := 0
	for _, size := range sizes {
		if size > len(learn) {
			break
		}
		for ; at < size; at++ {
			harness.Must(user.Train(ctx, learn[at].Class, learn[at].doc))
		}
		if size > 0 {
			harness.Check(user.Refit(ctx))
			w = harness.Must(blend.Learn(ctx, v, 1000))
		}
		var wrong [4]int
		for _, d := range asked {
			for k, r := range compared(base, user, v, w, d) {
				if len(r.Posterior) == 0 || r.Posterior[0].Class != d.Class {
					wrong[k]++
				}
			}
		}
		report(size, len(asked), wrong)
		harness.Row(append(append([]any{list, size, len(asked)}, shares(wrong, len(asked))...), weights(w))...)
	}
}

// compared returns the answers of all columns.
func compared(base, user *classify.Classifier, v *classify.View, w classify.Weights, d document) (all [4]classify.Result) {
	ctx := context.Background()
	all[0] = harness.Classify(base, d.doc)
	r, err := user.Classify(ctx, d.doc)
	if err != classify.ErrNoDocuments {
		harness.Check(err)
		all[1] = r
	}
	for k, w := range []classify.Weights{classify.Weights{Sum: 1}, w} {
		v.Weigh(w)
		all[2+k] = harness.Must(v.Classify(ctx, d.doc))
	}
	return all
}

func weights(w classify.Weights) string {
	return harness.Number(w.Sum, 2) + " " + harness.Number(w.Own, 2)
}

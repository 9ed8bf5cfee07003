package explanation

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/testdata"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

func TestGroupOf(t *testing.T) {
	for term, want := range map[string]string{
		"watches": words, "two words": words, "": words, "\x01ab:d": channels,
		"subject:offer": "subject", "from:a@b.example": "sender", "reply-to:x": "sender", "to:x": otherHeaders,
		"x-foo:word": otherHeaders, "header:x-foo": otherHeaders, "missing:date": otherHeaders, "received:192.0.2": otherHeaders,
		"url:example.org": "links", "path:id": "links", "invisible:word": "hidden text", "invisible:a:b": "hidden text",
		"mime:image/png": "structure", "file:invoice": "structure", "limit:parts": "structure",
	} {
		if got := groupOf(term); got != want {
			t.Errorf("%q is of group %q, want %q", term, got, want)
		}
	}
}

// message makes a message of class c with something for every group.
func message(c, i int) []byte {
	n := strconv.Itoa(i)
	return []byte("From: Sender" + strconv.Itoa(c) + " <a" + n + "@class" + strconv.Itoa(c) + ".example>\r\nSubject: topic" + strconv.Itoa(c) + "\r\n" +
		"X-Thing: thing" + n + "\r\nMessage-ID: <" + strconv.Itoa(c) + "." + n + "@x.example>\r\nContent-Type: text/html\r\n\r\n" +
		"<p>word" + strconv.Itoa(c) + " word" + n + " other" + n + "</p><a href=\"http://host" + strconv.Itoa(c) + ".example/p\">x</a>" +
		"<div style=\"display:none\">secret" + strconv.Itoa(c) + "</div>")
}

// The groups, prior, length and spread add up to the log-odds of the answer, and so do
// the strongest items and the rest, of every kind of model and number of classes.
func TestGroupsAddUp(t *testing.T) {
	t.Parallel()
	analyzer, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, classes := range []int{1, 2, 7} {
		for _, model := range []classify.Model{nil, model.DCM{}, model.Bernoulli{}} {
			c, err := classify.Open(filepath.Join(t.TempDir(), "d"), classify.Options{Model: model})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			document := func(class, i int) classify.Document {
				raw, bag := message(class, i), new(tokenize.Bag)
				mail.Read(analyzer, bag, raw)
				return classify.Document{ID: mail.ID(raw), Bag: bag, Attributes: []count.Attribute{{Name: "n", Kind: count.Real, Number: float64(class + i%3)}}}
			}
			for class := range classes {
				for i := range 12 {
					if _, err := c.Train(ctx, "class"+strconv.Itoa(class), document(class, i)); err != nil {
						t.Fatal(err)
					}
				}
			}
			e, err := c.Explain(ctx, document(0, 5))
			if err != nil {
				t.Fatal(err)
			}
			checkSums(t, &e)
		}
	}
}

func checkSums(t *testing.T, e *classify.Explanation) {
	t.Helper()
	base := e.Prior.LogOdds + e.Length.LogOdds + e.Recent.LogOdds - e.Spread
	sum, n := base, 0
	for _, g := range groups(e) {
		sum += float64(g.LogOdds)
		n += g.Terms
	}
	if want := len(e.Terms) + len(e.Attributes); n != want {
		t.Errorf("the groups have %d members, want %d", n, want)
	}
	if len(groups(e)) < 7 {
		t.Errorf("%d groups", len(groups(e)))
	}
	if len(e.Classes) == 1 {
		return // the log-odds are infinite
	}
	if math.Abs(sum-e.LogOdds) > 1e-9*(1+math.Abs(sum)) {
		t.Errorf("the groups add up to %v, the log-odds are %v", sum, e.LogOdds)
	}
	for _, n := range []int{0, 1, 3} {
		favour, against := sides(e, n)
		sum := base
		for _, side := range []side{favour, against} {
			for i, item := range slices.Concat(side.largest, side.rest) {
				sum += item.LogOdds
				if i > 0 && math.Abs(item.LogOdds) > math.Abs(slices.Concat(side.largest, side.rest)[i-1].LogOdds) {
					t.Error("the items are not in order of strength")
				}
			}
			if n > 0 && len(side.largest) > n || n == 0 && len(side.rest) > 0 {
				t.Errorf("%d items and %d left of %d", len(side.largest), len(side.rest), n)
			}
		}
		if math.Abs(sum-e.LogOdds) > 1e-9*(1+math.Abs(sum)) {
			t.Errorf("the %d strongest and the rest add up to %v, the log-odds are %v", n, sum, e.LogOdds)
		}
	}
}

// Every field of the sample mail except header fields is in the list, so that no new kind
// of term is taken for a header unseen.
func TestSampleFields(t *testing.T) {
	analyzer, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := testdata.Mail.ReadFile("mail/held/spam/003.eml")
	if err != nil {
		t.Fatal(err)
	}
	var bag tokenize.Bag
	mail.Read(analyzer, &bag, raw)
	found := map[string]int{}
	for i := range bag.Len() {
		term, _ := bag.At(i)
		found[groupOf(string(term))]++
	}
	for _, group := range []string{"subject", "sender", otherHeaders, "links", "structure", words} {
		if found[group] == 0 {
			t.Errorf("no term of the group %q: %v", group, found)
		}
	}
}

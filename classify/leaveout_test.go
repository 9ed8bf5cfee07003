package classify

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// TestLeaveOutDocuments holds that documents left out have nearly the posterior that they have
// where they were never learned, and not the one that they have where they were.
func TestLeaveOutDocuments(t *testing.T) {
	t.Parallel()
	open := func() *Classifier {
		c, err := OpenMemory(nil, Options{Fitting: FitByHand})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	ctx := context.Background()
	// A document has words of its class, of which some are of both, and one of its own.
	texts := make(map[string]string)
	whole, without := open(), make(map[string]*Classifier)
	for i := range 6 {
		for k, class := range []string{"a", "b"} {
			texts[fmt.Sprintf("%s%d own%s%d word%d", class, i%3, class, i, (i+k)%4)] = class
		}
	}
	for text := range texts {
		without[text] = open()
	}
	for text, class := range texts {
		for other, c := range without {
			if other != text {
				c.Train(ctx, class, c.Document([]byte(text)))
			}
		}
		whole.Train(ctx, class, whole.Document([]byte(text)))
	}
	for _, c := range without { // which drops recent lessons: they do not count for what is left out
		if _, err := c.Calibrate(ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	err := whole.LeaveOut(ctx, 1000, func(id count.DocID, class string, posterior []ClassProbability) error {
		seen++
		if len(posterior) != 2 || posterior[0].Class != "a" || posterior[1].Class != "b" {
			t.Fatalf("%+v", posterior)
		}
		for text, c := range without {
			if c.Document([]byte(text)).ID != id {
				continue
			}
			if texts[text] != class {
				t.Errorf("%s is of %s, not of %s", text, texts[text], class)
			}
			want, err := c.Classify(ctx, c.Document([]byte(text)))
			if err != nil {
				return err
			}
			// The weights of the others are a little smaller: there is one document less.
			if got := posterior[0].Probability; math.Abs(got-want.ProbabilityOf("a")) > .03 {
				t.Errorf("%s: a has %.4f, and %.4f where it was never learned", text, got, want.ProbabilityOf("a"))
			}
		}
		return nil
	})
	if err != nil || seen != len(texts) {
		t.Errorf("%d documents, %v", seen, err)
	}
	single := open()
	single.Train(ctx, "a", single.Document([]byte("one two")), single.Document([]byte("two three")), single.Document([]byte("three one")))
	seen = 0
	err = single.LeaveOut(ctx, 10, func(_ count.DocID, class string, posterior []ClassProbability) error {
		seen++
		if class != "a" || len(posterior) != 1 || posterior[0].Probability != 4./5 {
			t.Errorf("%+v", posterior)
		}
		return nil
	})
	if err != nil || seen != 3 {
		t.Errorf("%d documents, %v", seen, err)
	}
}

package users

import (
	"context"
	"os"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
)

// BenchmarkView compares answers of a base with those of a user's view of it, in turns, on the
// SpamAssassin corpus in $POLYA_MAIL (folders ham and spam). The user has learned 200
// messages. "fresh" has him teach and take back one before every hundredth question, so that
// nothing is cached of his view.
func BenchmarkView(b *testing.B) {
	dir := os.Getenv("POLYA_MAIL")
	if dir == "" {
		b.Skip("POLYA_MAIL is not set")
	}
	messages := read(dir)
	ctx := context.Background()
	var taught, others []message
	for i, m := range messages {
		if i%20 == 0 && len(taught) < 200 {
			taught = append(taught, m)
		} else {
			others = append(others, m)
		}
	}
	base := baseOf(others, nil)
	defer base.Close()
	own := baseOf(taught, nil)
	defer own.Close()
	v, err := classify.NewView(base, own)
	if err != nil {
		b.Fatal(err)
	}
	var docs []classify.Document
	for i := 0; i < len(others); i += 7 {
		docs = append(docs, mail.Document(base, others[i].Raw))
	}
	lesson := own.Document([]byte("one more lesson"))
	for _, one := range []struct {
		name     string
		classify func(context.Context, classify.Document) (classify.Result, error)
		weights  classify.Weights
		fresh    bool
	}{
		{"base", base.Classify, classify.SumAlone, false},
		{"sum", v.Classify, classify.SumAlone, false},
		{"sumAndOwn", v.Classify, classify.Weights{Sum: 1, Own: .5}, false},
		{"fresh", v.Classify, classify.SumAlone, true},
	} {
		b.Run(one.name, func(b *testing.B) {
			v.Weigh(one.weights)
			for range b.N {
				for i, doc := range docs {
					if one.fresh && i%100 == 0 {
						b.StopTimer()
						if _, err := own.Train(ctx, "ham", lesson); err != nil {
							b.Fatal(err)
						}
						if _, err := own.Forget(ctx, lesson); err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
					}
					if _, err := one.classify(ctx, doc); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(docs))/1000, "µs/message")
		})
	}
}

package evaluation

import (
	"context"
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// Documents whose words say their tags are answered with these tags, whatever the method.
func TestTags(t *testing.T) {
	check := watchTemp(t)
	var c Corpus
	for i := range 400 {
		var tags, words []string
		for bit, tag := range []string{"crude", "ship", "wheat"} {
			if i>>bit&1 == 1 {
				tags, words = append(tags, tag), append(words, tag+"word", tag+"other", tag+"third")
			}
		}
		set, err := count.TagSet(tags...)
		if err != nil {
			t.Fatal(err)
		}
		add(&c, set, fmt.Sprint(i), i >= 200, append(words, fmt.Sprint("n", i), "all")...)
	}
	for method, evaluate := range map[string]func(context.Context, *Corpus, Options) (*Report, error){
		MethodHeldOut: HeldOut, MethodFolds: Folds, MethodPrequential: Prequential,
	} {
		r, err := evaluate(t.Context(), &c, Options{Tags: true, Folds: 4})
		if err != nil {
			t.Fatal(method, err)
		}
		asked := map[string]int{MethodHeldOut: 200, MethodFolds: 400, MethodPrequential: 399}[method]
		if r.Tags == nil || r.Method != method || r.Tested != asked || len(r.Tags.Tags) != 3 || len(r.Models) > 0 {
			t.Fatalf("%s: %+v", method, r)
		}
		least := map[bool]float64{true: .5, false: .999}[method == MethodPrequential] // tags are silent at first
		if m := r.Tags; m.MicroF1 < least || m.MacroF1 < least || m.Exact < least || m.Precision < .95 || m.LogLoss > .3 {
			t.Errorf("%s: %+v", method, m)
		}
	}
	check()
}

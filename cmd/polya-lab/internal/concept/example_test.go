package concept_test

import (
	"fmt"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
)

// A friend thinks of a kind of mail and shows two messages of it. All three
// hypotheses hold both; they are as probable as (1/40)², (1/100)² and (1/1000)².
func Example() {
	type message struct{ from, list string }
	s := concept.Space[message]{Hypotheses: []concept.Hypothesis[message]{
		{Name: "of the list", Size: 40, Prior: 1, Has: func(m message) bool { return m.list == "walks" }},
		{Name: "from Ann", Size: 100, Prior: 1, Has: func(m message) bool { return m.from == "ann" }},
		{Name: "any", Size: 1000, Prior: 1, Has: func(message) bool { return true }},
	}}
	p, err := s.Learn(message{"ann", "walks"}, message{"ann", "walks"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, h := range s.Hypotheses {
		fmt.Printf("%-12s %.4f\n", h.Name, p.Prob[i])
	}
	fmt.Printf("one from Bob to the list: %.4f, and to nobody: %.4f\n", p.Predict(message{"bob", "walks"}), p.Predict(message{"bob", ""}))
	// Output:
	// of the list  0.8609
	// from Ann     0.1377
	// any          0.0014
	// one from Bob to the list: 0.8623, and to nobody: 0.0014
}

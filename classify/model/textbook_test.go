package model

import (
	"math"
	"testing"
)

// textbookCase is a worked example with its probabilities written out as the
// source has them.
type textbookCase struct {
	source string
	train  *counts
	model  EventModel
	prior  []float64 // nil is logPrior
	doc    string
	want   []float64 // prior times likelihood
}

// johnson2014 are the documents of the lecture "Johnson 2014": class 0 is
// sports, 1 is finance. Its priors are add-one estimates, 3/5 and 2/5, as ours
// are.
func johnson2014() *counts {
	return countDocuments([]string{"sports", "finance"},
		doc(0, "run kick ball run"), doc(1, "buy sell sell"), doc(0, "kick ball"))
}

// mitchell2023 are the documents of the lecture "Mitchell/BITS 2023": class 0
// is sports, 1 is not sports. Words are lower-cased, and the priors are the
// shares of the documents.
func mitchell2023() *counts {
	return countDocuments([]string{"sports", "not sports"},
		doc(0, "a great game"), doc(1, "the election was over"), doc(0, "very clean match"),
		doc(0, "a clean but forgettable game"), doc(1, "it was a close election"))
}

// manning2008 are the documents of C. Manning, P. Raghavan and H. Schütze,
// "Introduction to Information Retrieval", 2008, table 13.1: class 0 is China,
// 1 is not China. The priors are the shares of the documents.
func manning2008() *counts {
	return countDocuments([]string{"China", "not China"},
		doc(0, "Chinese Beijing Chinese"), doc(0, "Chinese Chinese Shanghai"),
		doc(0, "Chinese Macao"), doc(1, "Tokyo Japan Chinese"))
}

var textbookCases = []textbookCase{
	{
		source: "Johnson 2014, multinomial",
		train:  johnson2014(), model: Multinomial{Alpha: 1}, doc: "run run buy",
		want: []float64{3. / 5 * 3 / 11 * 3 / 11 * 1 / 11, 2. / 5 * 1 / 8 * 1 / 8 * 2 / 8},
	},
	{
		// Factors in the order run, kick, ball, buy, sell. The lecture prints
		// 3/4 for buy in sports where its own table has q(buy|sports) = 1/4.
		source: "Johnson 2014, Bernoulli",
		train:  johnson2014(), model: Bernoulli{Yes: 1, No: 1}, doc: "run run buy",
		want: []float64{3. / 5 * 2 / 4 * 1 / 4 * 1 / 4 * 1 / 4 * 3 / 4, 2. / 5 * 1 / 3 * 2 / 3 * 2 / 3 * 2 / 3 * 1 / 3},
	},
	{
		// 11 and 9 tokens, 14 terms. The lecture prints 2.7648e-5 and 5.718e-6.
		source: "Mitchell 2023, multinomial",
		train:  mitchell2023(), model: Multinomial{Alpha: 1}, prior: []float64{3. / 5, 2. / 5}, doc: "a very close game",
		want: []float64{3. / 5 * 3 / 25 * 2 / 25 * 1 / 25 * 3 / 25, 2. / 5 * 2 / 23 * 1 / 23 * 2 / 23 * 1 / 23},
	},
	{
		// The book prints .0003 and .0001.
		source: "Manning 2008, example 13.1, multinomial",
		train:  manning2008(), model: Multinomial{Alpha: 1}, prior: []float64{3. / 4, 1. / 4}, doc: "Chinese Chinese Chinese Tokyo Japan",
		want: []float64{3. / 4 * 3 / 7 * 3 / 7 * 3 / 7 * 1 / 14 * 1 / 14, 1. / 4 * 2 / 9 * 2 / 9 * 2 / 9 * 2 / 9 * 2 / 9},
	},
	{
		// Factors in the order Chinese, Japan, Tokyo, Beijing, Shanghai, Macao.
		// The book prints .005 and .022.
		source: "Manning 2008, example 13.2, Bernoulli",
		train:  manning2008(), model: Bernoulli{Yes: 1, No: 1}, prior: []float64{3. / 4, 1. / 4}, doc: "Chinese Chinese Chinese Tokyo Japan",
		want: []float64{3. / 4 * 4 / 5 * 1 / 5 * 1 / 5 * 3 / 5 * 3 / 5 * 3 / 5, 1. / 4 * 2 / 3 * 2 / 3 * 2 / 3 * 2 / 3 * 2 / 3 * 2 / 3},
	},
}

func TestTextbooks(t *testing.T) {
	t.Parallel()
	for _, test := range textbookCases {
		t.Run(test.source, func(t *testing.T) {
			prior := priorOf(test.train.totals())
			for c, p := range test.prior {
				prior[c] = math.Log(p)
			}
			got := test.train.scores(test.model, doc(0, test.doc))
			for c := range got {
				if p := math.Exp(got[c] + prior[c]); !near(p/test.want[c], 1, 1e-12) {
					t.Errorf("class %d: %v, want %v", c, p, test.want[c])
				}
			}
		})
	}
}

// TestTextbooksPrinted compares with the numbers as they are printed.
func TestTextbooksPrinted(t *testing.T) {
	t.Parallel()
	printed := map[string][]struct{ want, half float64 }{
		"Mitchell 2023, multinomial":              {{2.7648e-5, 5e-10}, {5.718e-6, 5e-10}},
		"Manning 2008, example 13.1, multinomial": {{.0003, 5e-5}, {.0001, 5e-5}},
		"Manning 2008, example 13.2, Bernoulli":   {{.005, 5e-4}, {.022, 5e-4}},
	}
	for _, test := range textbookCases {
		for c, p := range printed[test.source] {
			if math.Abs(test.want[c]-p.want) > p.half {
				t.Errorf("%s, class %d: %v, printed %v", test.source, c, test.want[c], p.want)
			}
		}
		delete(printed, test.source)
	}
	for source := range printed {
		t.Errorf("no case %q", source)
	}
}

func TestJohnsonPrior(t *testing.T) {
	t.Parallel()
	prior := priorOf(johnson2014().totals())
	if !near(prior[0], math.Log(3./5), 1e-15) || !near(prior[1], math.Log(2./5), 1e-15) {
		t.Errorf("got %v, want log 3/5 and log 2/5", prior)
	}
}

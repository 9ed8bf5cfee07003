package points

import (
	"math"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

// TestScores holds that the order of score and threshold agrees with the answer, since
// Exim compares the two.
func TestScores(t *testing.T) {
	for _, test := range []struct {
		score, threshold         float64
		spam                     bool
		wantScore, wantThreshold float64
	}{
		{5.04, 4.96, true, 5, 5}, {4.96, 5.04, false, 4.9, 5}, {-0.04, 0, false, -0.1, 0}, {7, 5, false, 4.9, 5}, {3, 5, true, 5, 5},
		{1e300, 5, true, 9999, 5}, {math.Inf(-1), -5, false, -9999, -5}, {math.NaN(), 5, true, 5, 5},
	} {
		score, threshold := Scores(backend.Answer{Score: test.score, Threshold: test.threshold, Spam: test.spam})
		if score != test.wantScore || threshold != test.wantThreshold {
			t.Errorf("%+v: %v of %v", test, score, threshold)
		}
	}
}

func TestSymbol(t *testing.T) {
	for _, test := range []struct {
		answer backend.Answer
		want   string
	}{
		{backend.Answer{Class: "spam"}, "POLYA_SPAM"}, {backend.Answer{Class: "Küche; 2"}, "POLYA_K_CHE__2"}, {backend.Answer{Class: "ham", Unsure: true}, "POLYA_UNSURE"},
	} {
		if got := Symbol(test.answer); got != test.want {
			t.Errorf("%+v: %s, want %s", test.answer, got, test.want)
		}
	}
}

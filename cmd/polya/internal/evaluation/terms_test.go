package evaluation

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The first is example 13.3 of "Introduction to Information Retrieval", 0.0001105 bits.
// The exact numbers were printed by mutual_info_score of scikit-learn 1.2.1.
func TestMutualInformation(t *testing.T) {
	near(t, "export and poultry, in bits", MutualInformation(49, 27652, 141, 774106)/math.Ln2, 0.0001105, 5e-8)
	for _, tt := range []struct {
		n11, n10, n01, n00 uint64
		want               float64
	}{
		{49, 27652, 141, 774106, 7.661742985915214e-05},
		{5, 0, 3, 9, 0.294473622592077},
		{2, 2, 2, 2, 0},
		{7, 1, 2, 30, 0.2707764815208441},
		{0, 0, 0, 0, 0},
		{4, 0, 0, 0, 0},
	} {
		near(t, "information", MutualInformation(tt.n11, tt.n10, tt.n01, tt.n00), tt.want, 1e-14)
	}
}

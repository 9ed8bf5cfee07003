package main

import "testing"

func TestWithError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		x, deviation float64
		want         string
	}{
		{5. / 27, 0.0734, "0.185±0.073"},
		{0.4565, 0.2105, "0.46±0.21"},
		{0.015, 0.0996, "0.01±0.10"},
		{1.2e-6, 7.1e-7, "1.20e-06±7.1e-07"},
		{3e-9, 2.5e-8, "3e-09±2.5e-08"},
		{0.0123, 1.2e-5, "0.012300±0.000012"},
		{0.0123, 4e-9, "1.23000000e-02±4.0e-09"},
		{12345, 678, "12345±678"},
		{1, 0, "1±0"},
	} {
		if got := withError(test.x, test.deviation); got != test.want {
			t.Errorf("%v, %v: %s, want %s", test.x, test.deviation, got, test.want)
		}
	}
}

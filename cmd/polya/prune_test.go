package main

import (
	"testing"
)

func TestParseBytes(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int64{
		"500000": 500000, "800kB": 800000, "50MB": 50e6, "1.5GB": 15e8, "2MiB": 2 << 20, "0": 0, "3 MB": 3e6,
		"": -1, "MB": -1, "-1": -1, "1TB": -1, "NaN": -1, "1e99": -1,
	} {
		got, err := parseBytes(s)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d bytes, want %d", s, got, want)
		}
	}
}

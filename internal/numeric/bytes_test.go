package numeric

import "testing"

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "500000": 5e5, "5mb": 5e6, "5 MB": 5e6, "800kB": 8e5, "1.5gib": 3 << 29, "64 MiB": 64 << 20,
		"": -1, "mb": -1, "-1": -1, "5 XB": -1, "1e300gb": -1, "nan": -1} {
		if n, err := Bytes(text); err == nil != (want >= 0) || err == nil && n != want {
			t.Errorf("%q: %d, %v, want %d", text, n, err, want)
		}
	}
}

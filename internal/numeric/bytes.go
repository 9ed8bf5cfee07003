package numeric

import (
	"strconv"
	"strings"
)

// Bytes reads a number of bytes, as in 500000, 5mb or "64 MiB"; kB, MB and GB are powers of
// 1000, KiB, MiB and GiB of 1024, in letters of any case.
func Bytes(s string) (int64, error) {
	unit := 1.0
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}} {
		if number, ok := strings.CutSuffix(strings.ToLower(s), u.name); ok {
			s, unit = number, u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(n >= 0 && n*unit < 1<<62) {
		return 0, strconv.ErrSyntax
	}
	return int64(n * unit), nil
}

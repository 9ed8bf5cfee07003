package table

import (
	"encoding/hex"
	"strings"
	"testing"
)

// manyExamples are the cells of rows that are written as columns.
func manyExamples() [][]Cell {
	all := []Cell{
		{Class: 0, DF: 1, TF: 1, W: 40000, U: []uint32{1}},
		{Class: 1, DF: 300, TF: 302, W: 1 << 24, U: []uint32{300, 1, 1}},
		{Class: 2, DF: 1, TF: 1, W: 0, U: []uint32{1}},
		{Class: 3, DF: 70000, TF: 70000, W: 5, U: []uint32{70000}},
	}
	gap := append(all[:3:3], Cell{Class: 1 << 31, DF: 1, TF: 2, W: 9, U: []uint32{1, 1}})
	return [][]Cell{all, gap}
}

// What columns must not say. The row that is changed is that of four cells with
// classes 1, 2, 3 and 7, as FORMAT.md shows it.
func TestDamagedColumns(t *testing.T) {
	for what, row := range map[string]string{
		"":                                   "04 1131 01020307 00000100 01000300 04bf00 409c00 905f01 307500 0202",
		"classes without a gap":              "04 1931 01 00000100 01000300 04bf00 409c00 905f01 307500 0202",
		"weights of 0":                       "04 1911 01 00000100 01000300 00000000 0202",
		"no columns":                         "04",
		"half of the widths":                 "04 11",
		"columns that end too soon":          "04 1131 01020307 00000100 01000300 04bf00 409c00 905f01",
		"no weights":                         "04 1101 01020307 00000100 01000300 0202",
		"classes that do not ascend":         "04 1131 01030307 00000100 01000300 04bf00 409c00 905f01 307500 0202",
		"classes without a gap, all of them": "04 1131 01020304 00000100 01000300 04bf00 409c00 905f01 307500 0202",
		"classes beyond the last":            "04 1c31 fdffffff 00000100 01000300 04bf00 409c00 905f01 307500 0202",
		"a column wider than it need be":     "04 1231 0100020003000700 00000100 01000300 04bf00 409c00 905f01 307500 0202",
		"zeros that need no column":          "04 1131 01020307 00000100 00000000 04bf00 409c00 905f01 307500",
		"a class too wide":                   "04 1531 0100000001 0200000001 0300000001 0700000001 00000100 01000300 04bf00 409c00 905f01 307500 0202",
	} {
		data, err := hex.DecodeString(strings.ReplaceAll(row, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		var r Row
		sound := what == "" || what == "classes without a gap" || what == "weights of 0"
		if err := r.Decode(data, true); (err == nil) != sound {
			t.Errorf("a row with %q decodes to %+v, %v", what, r.Cells, err)
		}
		if _, err := r.DecodeColumns(data); (err == nil) != sound {
			t.Errorf("the columns of a row with %q: %v", what, err)
		}
	}
}

package corpus

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// rowsOf reads rows as tableReader does: each, its line, and what is wrong with it.
func rowsOf(in io.Reader, comma rune, next func()) (rows [][]string, lines []int, errs []error) {
	r := csv.NewReader(in)
	r.Comma, r.TrimLeadingSpace, r.FieldsPerRecord = comma, comma != '\t', -1
	for {
		next()
		row, err := r.Read()
		if err == io.EOF {
			return rows, lines, errs
		}
		var parse *csv.ParseError
		line := 0
		if errors.As(err, &parse) {
			line, err = parse.StartLine, parse.Err
		} else {
			line, _ = r.FieldPos(0)
		}
		rows, lines, errs = append(rows, row), append(lines, line), append(errs, err)
	}
}

// sameRows checks that csv.Reader reads from a rowBound what it reads without it, and that
// the cells of every row that is not malformed were counted.
func sameRows(t *testing.T, in string, comma rune) {
	t.Helper()
	want, wantLines, wantErrs := rowsOf(strings.NewReader(in), comma, func() {})
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in))} {
		b := &rowBound{r: bufio.NewReader(r), comma: byte(comma), limit: 1 << 30}
		var cells []int
		got, lines, errs := rowsOf(b, comma, func() {
			cells = append(cells, maxColumns-b.cells+1)
			b.next()
		})
		if !slices.EqualFunc(got, want, slices.Equal) || !slices.Equal(lines, wantLines) || !slices.Equal(errs, wantErrs) {
			t.Fatalf("%q, parted by %q, %s:\n%q %v %v, want\n%q %v %v", in, comma, name, got, lines, errs, want, wantLines, wantErrs)
		}
		for i, row := range got {
			if errs[i] == nil && cells[i+1] != len(row) {
				t.Fatalf("%q, parted by %q, %s: row %d has %d cells, counted %d", in, comma, name, i, len(row), cells[i+1])
			}
		}
	}
}

var boundTables = []string{
	"a,b\n1,2,3,4\n5,6\n",
	"a,b\r\n1,\"2\r\n3\",\"4\r\n\r\n5\",6\r\n7,8\r\n",
	"1,2,3,4\"5\n6,7\n",
	"1,2,3,\"4\"5,\"\n6,7\n",
	"1,2,\"3\n4\"5,6\n7,8\n",
	"1,2,3,\"4\"\r5\n6,\"\"\"7\",\",,,\"\n",
	" \"1,\n\" ,2\n\u00a0\"3,,,,\n,,,\"\n\u2003\u2003\"4,,,\",5",
	"\xe2\"1,2\n\xe2\x80\n3,4,5,6\n\xff\"",
	"\u0085,\"\u00a0,\n\",\u3000",
	"1,2,3,4,\"5\n6\n7",
	"\n\n1,2,3\n\n\"\n\n\",2,3,\"\n\n\"\n\n4",
	"1\t\"2\"\t \"3\n4\t\t\t5\n",
	"1;2,3;\"4;5\";6;7\n8",
}

func TestRowBound(t *testing.T) {
	for _, in := range boundTables {
		for _, comma := range ",;\t" {
			sameRows(t, in, comma)
		}
	}
}

func FuzzRowBound(f *testing.F) {
	for _, in := range boundTables {
		f.Add(in, uint8(2))
	}
	f.Fuzz(func(t *testing.T, in string, n uint8) {
		sameRows(t, in, []rune(",;\t|")[n%4])
	})
}

// Rows that are remembered are bounded: one more different one is refused, while equal
// ones and those with an id are read.
func TestUnnamedRowsAreBounded(t *testing.T) {
	var copies []int
	w := &walker{ctx: context.Background(), o: Options{MaxBytes: 10}, fn: func(d *Document) error { copies = append(copies, d.Copy); return nil }}
	r := tableReader{walker: w, path: "a.csv", seen: map[uint64]uint32{}, room: 2}
	r.names = []string{"id", "text"}
	if err := r.header(&Options{}); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{{"", "a"}, {"", "b"}, {"", "a"}, {"1", "c"}} {
		if err := r.give(row); err != nil {
			t.Errorf("%q: %v", row, err)
		}
	}
	if !slices.Equal(copies, []int{0, 0, 1, 0}) {
		t.Error(copies)
	}
	if err := r.give([]string{"", "c"}); err == nil || !strings.Contains(err.Error(), "more than 2 different rows without an id") || len(copies) != 4 {
		t.Errorf("%d documents, %v", len(copies), err)
	}
}

// A row is held only where it may be read again: an unclosed quote takes its bytes once.
func TestRowHeld(t *testing.T) {
	t.Parallel()
	for comma, held := range map[byte]bool{',': false, ';': false, '\t': true} {
		b := &rowBound{r: bufio.NewReader(strings.NewReader(strings.Repeat("x\"\n", 1000))), comma: comma, limit: 1 << 30}
		b.next()
		if _, err := io.Copy(io.Discard, b); err != nil || len(b.held) > 0 != held {
			t.Errorf("%q: %d bytes held, %v", comma, len(b.held), err)
		}
	}
}

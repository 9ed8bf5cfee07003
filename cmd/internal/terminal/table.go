package terminal

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
)

// A Table is rows of cells, aligned when printed. The cells must be printable.
type Table struct {
	Numeric []bool // columns that are aligned on the right
	Rows    [][]string
}

// NumbersFrom aligns the columns of the first row on the right, except the first few.
func (t *Table) NumbersFrom(first int) {
	for i := range t.Rows[0] {
		t.Numeric = append(t.Numeric, i >= first)
	}
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the table, two spaces between columns.
func (t *Table) Write(w io.Writer) error {
	var widths []int
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	for _, row := range t.Rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-Width(cell))
			if i < len(t.Numeric) && t.Numeric[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		if _, err := io.WriteString(w, strings.TrimRight(line.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// List prints each of list as JSON if that is asked for, or else all as TableOf; nothing if s is
// quiet.
func List[T any](s *Streams, list []T) error {
	return Results(s, list, func() error { return TableOf(list).Write(s.Stdout) })
}

// TableOf returns a table with a row for each of list, a struct or a pointer to one, and a column
// for each field. Its head is the name in the tag json or, if there is one, the tag text; the tag
// format is of package fmt. A nil pointer is shown as a dash, and a column of nothing else is left
// out, as are fields with neither tag.
func TableOf[T any](list []T) *Table {
	t := new(Table)
	of := reflect.TypeFor[T]()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	head, rows := []string{}, make([][]string, len(list))
	for _, f := range reflect.VisibleFields(of) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if text, ok := f.Tag.Lookup("text"); ok {
			name = text
		}
		cells, some := make([]string, len(list)), f.Type.Kind() != reflect.Pointer
		for i := range list {
			value := reflect.Indirect(reflect.ValueOf(list[i])).FieldByIndex(f.Index)
			cells[i] = cell(value, f.Tag.Get("format"), option == "omitempty")
			some = some || !value.IsNil()
		}
		if name == "" || !some {
			continue
		}
		kind := f.Type.Kind()
		if kind == reflect.Pointer {
			kind = f.Type.Elem().Kind()
		}
		head, t.Numeric = append(head, name), append(t.Numeric, kind != reflect.String && kind != reflect.Slice)
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	t.Rows = append([][]string{head}, rows...)
	return t
}

// cell returns a value as text, nothing for 0 if that is left out.
func cell(v reflect.Value, format string, omit bool) string {
	switch pointer := v.Kind() == reflect.Pointer; {
	case pointer && v.IsNil():
		return "-"
	case pointer:
		return cell(v.Elem(), format, false)
	case omit && v.IsZero():
		return ""
	case v.CanUint():
		return Grouped(v.Uint())
	case v.CanInt():
		return Grouped(v.Int())
	case v.CanFloat() && (format != "" || math.IsNaN(v.Float())):
		return Decimals(v.Float(), format)
	}
	return Printable(fmt.Sprint(v))
}

package corpus_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/internal/raced"
)

// tableOf makes a table with a row for each number.
func tableOf(rows int, header string, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range rows {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// Columns of sentences are the text where nothing else was said; and nothing is, unless
// somebody asks.
func TestTextColumnIsFound(t *testing.T) {
	undecided := func(string) corpus.Use { return corpus.Undecided }
	sentence := func(i int) string { return fmt.Sprintf("see you at %d o'clock in room %d", i%12, i) }
	for _, x := range []struct {
		name, table string
		change      func(*corpus.Options)
		texts       string // the columns, "" for none
	}{
		{"sentences", tableOf(30, "n,said,day", func(i int) string { return fmt.Sprintf("%d,%s,%s", i, sentence(i), []string{"mon", "tue"}[i%2]) }), nil, "said"},
		{"nobody asks", tableOf(30, "said", sentence), func(o *corpus.Options) { o.Use = nil }, ""},
		{"no texts", tableOf(30, "said", sentence), func(o *corpus.Options) { o.NoTexts = true }, ""},
		{"named", tableOf(30, "said,text", func(i int) string { return sentence(i) + ",x" }), nil, ""},
		{"two of them", tableOf(30, "said,heard", func(i int) string { return sentence(i) + "," + sentence(i+1) }), nil, "said heard"},
		{"only one of unknown", tableOf(30, "said,who", func(i int) string { return sentence(i) + ",Ann" }), func(o *corpus.Options) {
			o.Use = func(string) corpus.Use { return corpus.Alone }
		}, "said"},
		{"alone", tableOf(30, "who", func(int) string { return "Ann" }), func(o *corpus.Options) {
			o.Use = func(string) corpus.Use { return corpus.Alone }
		}, "who"},
		{"not alone", tableOf(30, "who,whom", func(int) string { return "Ann,Eve" }), func(o *corpus.Options) {
			o.Use = func(string) corpus.Use { return corpus.Alone }
		}, ""},
		{"names", tableOf(30, "who", func(i int) string { return fmt.Sprintf("Ann Lee %d", i) }), nil, ""},
		{"few different", tableOf(30, "said", func(i int) string { return sentence(i % 10) }), nil, ""},
		{"numbers", tableOf(30, "n", func(i int) string { return fmt.Sprint(i) }), nil, ""},
		{"no spaces", tableOf(30, "said", func(i int) string { return fmt.Sprintf("明日の会議は%d時からです", i) }), nil, "said"},
		{"as said before", tableOf(2, "said,who", func(i int) string { return fmt.Sprintf("ok %d,Ann", i) }), func(o *corpus.Options) {
			o.Use = func(name string) corpus.Use {
				return map[string]corpus.Use{"said": corpus.AsText, "who": corpus.AsAttribute}[name]
			}
		}, "said"},
		{"an attribute", tableOf(30, "said", sentence), func(o *corpus.Options) {
			o.Use = func(string) corpus.Use { return corpus.AsAttribute }
		}, ""},
	} {
		told := map[string]corpus.Column{}
		o := corpus.Options{Format: corpus.CSV, Use: undecided, Decided: func(c corpus.Column) { told[c.Name] = c }}
		if x.change != nil {
			x.change(&o)
		}
		docs, err := stream(strings.NewReader(x.table), o)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		texts := strings.Fields(x.texts)
		for name, c := range told {
			if (c.Use == corpus.AsText) != slices.Contains(texts, name) {
				t.Errorf("%s: column %s is taken for the text: %t", x.name, name, c.Use == corpus.AsText)
			}
		}
		for _, text := range texts {
			if _, ok := told[text]; !ok {
				t.Errorf("%s: nothing is told of column %s", x.name, text)
			}
		}
		for _, d := range docs {
			for _, a := range d.Attributes {
				if slices.Contains(texts, a.Name) {
					t.Fatalf("%s: the text is an attribute too", x.name)
				}
			}
			if len(texts) > 0 && bytes.Count(d.Content, []byte("\n")) != len(texts)-1 {
				t.Fatalf("%s: a row has the text %q", x.name, d.Content)
			}
		}
	}
}

// What is told of a column bounds what it is kept: a thousand cells tell.
func TestColumnsAreSampled(t *testing.T) {
	var told []corpus.Column
	in := tableOf(5000, "id2,day", func(i int) string { return fmt.Sprintf("x%d,%s", i, []string{"mon", "tue"}[i%2]) })
	_, err := stream(strings.NewReader(in), corpus.Options{Format: corpus.CSV, Decided: func(c corpus.Column) { told = append(told, c) }})
	if err != nil || len(told) != 2 {
		t.Fatalf("%v, %v", told, err)
	}
	for _, c := range told {
		if c.Sampled != 1000 || c.Differs() != (c.Name == "id2") {
			t.Errorf("%+v, differs %t", c, c.Differs())
		}
	}
}

// Sentences of which some come again, as the subjects of tickets do, are told of; answers of a questionnaire are not.
func TestRepeatedSentences(t *testing.T) {
	t.Parallel()
	var told []corpus.Column
	in := tableOf(100, "subject,answer,place", func(i int) string {
		return fmt.Sprintf("I cannot open file f%d,I agree with answer a%d,street s%d", i*6/10, i%40, i*6/10)
	})
	_, err := stream(strings.NewReader(in), corpus.Options{Format: corpus.CSV, Decided: func(c corpus.Column) { told = append(told, c) }})
	if err != nil || len(told) != 3 {
		t.Fatalf("%v, %v", told, err)
	}
	for _, c := range told {
		if c.Differs() != (c.Name == "subject") {
			t.Errorf("%+v, differs %t", c, c.Differs())
		}
	}
}

// A wide table is not sampled more than others: 4,096 columns of 1,000 different cells
// take some MB, not a hundred.
func TestWideTablesAreSampledLess(t *testing.T) {
	raced.Skip(t)
	const columns = 4096
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	in := tableOf(100, strings.Join(names, ","), func(i int) string {
		return strings.TrimSuffix(strings.Repeat(fmt.Sprintf("x%d,", i), columns), ",")
	})
	var told []corpus.Column
	_, err := stream(strings.NewReader(in), corpus.Options{Format: corpus.CSV, Decided: func(c corpus.Column) { told = append(told, c) }})
	if err != nil || len(told) != columns {
		t.Fatalf("%d columns, %v", len(told), err)
	}
	for _, c := range told {
		if c.Sampled != 64 || !c.Differs() {
			t.Fatalf("%+v", c)
		}
	}
}

// Numbers that may have been misread are told with a cell to look at.
func TestDoubts(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		cells string // between separators
		by    string
		want  corpus.Use
		cell  string
	}{
		{"762;1.409", ";", corpus.AsDecimals, "1.409"},
		{"1.409;2.500", ";", corpus.AsDecimals, "1.409"},
		{"12,5;-1.409 €", ";", corpus.AsDecimals, "-1.409 €"},
		{"762;1,409", ";", corpus.AsDecimals, "1,409"},
		{"12.50;1,409", ";", corpus.AsDecimals, "1,409"},
		{"762,1.409", ",", corpus.AsDecimals, "1.409"},
		{"762\t1.409", "\t", corpus.AsDecimals, "1.409"},
		{"12345;00501", ";", corpus.AsCodes, "00501"},
		{"7,1234567890123456", ",", corpus.AsCodes, "1234567890123456"},
		{"1.409;12.5;762", ";", corpus.Undecided, ""},
		{"1.409;0.500;762", ";", corpus.Undecided, ""},
		{"1.409;1762", ";", corpus.Undecided, ""},
		{"1,409;12,5;762", ";", corpus.Undecided, ""},
		{"1,409;2,500", ";", corpus.Undecided, ""},
		{"1.409,2.500", ",", corpus.Undecided, ""},
		{"0;10;0.5;.5;-3;1e5;123456789012345", ";", corpus.Undecided, ""},
	} {
		cells := strings.Split(x.cells, x.by)
		table := tableOf(len(cells), "class"+x.by+"x", func(i int) string { return "a" + x.by + cells[i] })
		var told corpus.Column
		o := corpus.Options{Format: corpus.CSV, Decided: func(c corpus.Column) { told = c }}
		if _, err := stream(strings.NewReader(table), o); err != nil {
			t.Fatal(err)
		}
		if told.Use != x.want || told.Other != x.cell {
			t.Errorf("%q: use %d because of %q", x.cells, told.Use, told.Other)
		}
	}
}

// A column that counts the rows says nothing about new ones, though it looks like a number: in a sorted table it tells
// the class.
func TestSequences(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		rows int
		cell func(int) string
		want corpus.Use
	}{
		{40, func(i int) string { return strconv.Itoa(i) }, corpus.AsSequence},
		{40, func(i int) string { return strconv.Itoa(i + 1) }, corpus.AsSequence},
		{2000, func(i int) string { return strconv.Itoa(i + 500) }, corpus.AsSequence},
		{19, func(i int) string { return strconv.Itoa(i) }, corpus.Undecided},
		{40, func(i int) string { return strconv.Itoa(2 * i) }, corpus.Undecided},
		{40, func(i int) string { return strconv.Itoa(i % 30) }, corpus.Undecided},
		{40, func(i int) string { return strconv.Itoa(i) + ".5" }, corpus.Undecided},
		{40, func(i int) string { return "7" }, corpus.Undecided},
		{40, func(i int) string { return strconv.Itoa(40 - i) }, corpus.Undecided},
		{40, func(i int) string { return "A" + strconv.Itoa(i) }, corpus.AsAttribute},
	} {
		var told corpus.Column
		o := corpus.Options{Format: corpus.CSV, Decided: func(c corpus.Column) { told = c }}
		if _, err := stream(strings.NewReader(tableOf(x.rows, "class,x", func(i int) string { return "a," + x.cell(i) })), o); err != nil {
			t.Fatal(err)
		}
		if told.Use != x.want {
			t.Errorf("%d rows from %s on: use %d", x.rows, x.cell(0), told.Use)
		}
	}
}

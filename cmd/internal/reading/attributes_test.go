package reading

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// attributesOf reads the flags as a command does, for a database that counts these.
func attributesOf(counted map[string]count.Kind, kinds, attrs []string) (*Attributes, error) {
	a, err := NewAttributes(kinds, attrs)
	if err == nil {
		err = a.MeetDatabase(nil)
	}
	if err == nil {
		a.counted = counted
	}
	return a, err
}

func bare(name string, value any) corpus.Attribute { return corpus.Attribute{Name: name, Value: value} }

func cell(name string, value any, text string) corpus.Attribute {
	return corpus.Attribute{Name: name, Value: value, Text: text}
}

func kindAndValue(a count.Attribute) string {
	if a.Kind == count.Category {
		return fmt.Sprintf("%s:%s=%s", a.Name, a.Kind, a.Category)
	}
	return fmt.Sprintf("%s:%s=%v", a.Name, a.Kind, a.Number)
}

// The kind of a value is what was stated, or what is counted, or what it looks like.
func TestKindOfAnAttribute(t *testing.T) {
	t.Parallel()
	tests := []struct {
		given   corpus.Attribute
		counted count.Kind // 0 if it is new
		stated  string
		want    string // an error's if it has a space
	}{
		// by its look
		{bare("x", 1.5), 0, "", "x:real=1.5"},
		{bare("x", "mon"), 0, "", "x:category=mon"},
		{bare("x", true), 0, "", "x:yesno=1"},
		{bare("x", false), 0, "", "x:yesno=0"},
		{bare("x", "1.5"), 0, "", "x:category=1.5"},
		{cell("x", 1.5, "1.50"), 0, "", "x:real=1.5"},
		{cell("x", "1.5", "1.5"), 0, "", "x:category=1.5"}, // in a column of words

		// as it is counted
		{bare("x", 1.5), count.Real, "", "x:real=1.5"},
		{bare("x", 1.5), count.Uniform, "", "x:uniform=1.5"},
		{bare("x", 1.0), count.YesNo, "", "x:yesno=1"},
		{bare("x", "mon"), count.Category, "", "x:category=mon"},
		{cell("x", 1.5, "1.50"), count.Category, "", "x:category=1.50"},
		{cell("x", true, "Yes"), count.Category, "", "x:category=Yes"},
		{cell("x", "1.50", "1.50"), count.Real, "", "x:real=1.5"},
		{cell("x", 0.0, "0"), count.YesNo, "", "x:yesno=0"},
		{cell("x", "TRUE", "TRUE"), count.YesNo, "", "x:yesno=1"},

		// another kind than is counted
		{bare("x", 1.5), count.Category, "", `attribute "x" is counted as category: here it is the number 1.5: --kind x=category takes it for one`},
		{bare("x", true), count.Category, "", `here it is true`},
		{bare("x", "big"), count.Real, "", `attribute "x" is counted as real: here it is the text "big"`},
		{bare("x", "1.5"), count.Real, "", `here it is the text "1.5"`},
		{bare("x", true), count.Real, "", `here it is true`},
		{bare("x", 2.0), count.YesNo, "", `counted as yesno: here it is the number 2`},
		{bare("x", "yes"), count.YesNo, "", `here it is the text "yes"`},
		{cell("x", true, "Yes"), count.Real, "", `here it is Yes`}, // as it is written
		{cell("x", 2.0, "2.00"), count.YesNo, "", `here it is the number 2.00`},
		{cell("x", "big", "big"), count.Uniform, "", `counted as uniform: here it is the text "big"`},
		{cell("x", "maybe", "maybe"), count.YesNo, "", `here it is the text "maybe"`},

		// as stated
		{bare("x", 90210.0), 0, "category", "x:category=90210"},
		{bare("x", 90210.0), count.Category, "category", "x:category=90210"},
		{bare("x", true), 0, "category", "x:category=true"},
		{bare("x", "1.5"), 0, "real", "x:real=1.5"},
		{bare("x", "yes"), 0, "yesno", "x:yesno=1"},
		{bare("x", 3.0), 0, "uniform", "x:uniform=3"},
		{cell("x", 1.0, "01"), 0, "category", "x:category=01"},
		{cell("x", 1.0, "1"), 0, "yesno", "x:yesno=1"},
		{bare("x", "big"), 0, "real", `attribute "x" is said to be real: here it is the text "big": correct it, or --kind`},

		// what cannot be counted
		{bare("x", strings.Repeat("m", 1<<20)), 0, "", "a category of 1048576 bytes"},
		{bare("x", math.MaxFloat64), 0, "", `attribute "x": 1.7976931348623157e+308 is beyond ±`},
		{bare("x", -1.0), count.Uniform, "", "is below 0"},
		{bare("x\n", 1.0), 0, "", "without control characters"},
		{bare(strings.Repeat("x", 256), 1.0), 0, "", "want a name of 1 to 255 bytes"},
	}
	for _, tt := range tests {
		counted := map[string]count.Kind{}
		if tt.counted != 0 {
			counted["x"] = tt.counted
		}
		var kinds []string
		if tt.stated != "" {
			kinds = []string{"x=" + tt.stated}
		}
		a, err := attributesOf(counted, kinds, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := Document{Document: corpus.Document{Attributes: []corpus.Attribute{tt.given}}}
		err = a.Resolve(&d)
		got := ""
		if err == nil {
			got = kindAndValue(d.Attributes[0])
		} else if got = err.Error(); len(d.Attributes) > 0 || strings.Contains(got, "\n") {
			t.Errorf("%+.40v: %v left beside %q", tt.given, d.Attributes, got)
		}
		if got != tt.want && !(err != nil && strings.Contains(tt.want, " ") && strings.Contains(got, tt.want)) {
			t.Errorf("%.40q of %T, counted as %v, stated %q: got %q, want %q", tt.given.Name, tt.given.Value, tt.counted, tt.stated, got, tt.want)
		}
	}
}

// In a run that learns, the first document says what the others must be.
func TestKindsAreLearned(t *testing.T) {
	t.Parallel()
	a, _ := attributesOf(map[string]count.Kind{}, nil, nil)
	number, word := Document{Document: corpus.Document{Attributes: []corpus.Attribute{bare("x", 1.0)}}}, Document{Document: corpus.Document{Attributes: []corpus.Attribute{bare("x", "one")}}}
	if a.Resolve(&number) != nil || a.Resolve(&word) != nil {
		t.Error("a run that does not learn remembers a kind")
	}
	a.Learns = true
	if a.Resolve(&word) != nil || a.Resolve(&number) == nil || a.Resolve(&word) != nil {
		t.Error("a number was taken for the category that it was before")
	}
}

// Attributes that nobody learned are kept for a note, but not as many as JSON lines have.
func TestUnknownAttributes(t *testing.T) {
	t.Parallel()
	a, _ := attributesOf(map[string]count.Kind{"x": count.Real}, nil, nil)
	for i := range 5000 {
		d := Document{Document: corpus.Document{Attributes: []corpus.Attribute{bare(fmt.Sprint("n", i), 1.0), bare("x", 2.0)}}}
		if err := a.Resolve(&d); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.unknown) != 1000 || a.unknown["x"] {
		t.Errorf("%d unknown attributes are kept", len(a.unknown))
	}
}

func TestAttrFlag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		attrs []string
		want  string
	}{
		{[]string{"size=1234", "day=mon", "urgent=yes"}, "day:category=mon size:real=1234 urgent:yesno=1"},
		{[]string{"zip=01234", "x= 3 ", "y=0"}, "x:uniform=3 y:yesno=0 zip:category=01234"},
		{[]string{"a=b=c"}, "a:category=b=c"},
		{[]string{"state=NA"}, "state:category=NA"},
		{[]string{"dc:title=x"}, "dc:title:category=x"},
		{[]string{"size"}, "want NAME=VALUE"},
		{[]string{"=1"}, "want NAME=VALUE"},
		{[]string{"size= "}, "want NAME=VALUE"},
		{[]string{"size=NaN"}, "NaN says nothing"},
		{[]string{"size=inf"}, "beyond the numbers"},
		{[]string{"size=1e999"}, "beyond the numbers"},
		{[]string{"size=1e200"}, "is beyond ±"},
		{[]string{"y=big"}, `said to be yesno: here it is the text "big"`},
		{[]string{"x=-1"}, "is below 0"},
		{[]string{"size=1", "size=2"}, `attribute "size" is given twice`},
		{[]string{"day=" + strings.Repeat("m", 256)}, "a category of 256 bytes"},
	}
	for _, tt := range tests {
		a, err := attributesOf(map[string]count.Kind{}, []string{"zip=category", "x=uniform", "y=yesno", "state=category"}, tt.attrs)
		var got []string
		if err == nil {
			d := Document{added: a.added}
			err = a.Resolve(&d)
			for _, x := range d.Attributes {
				got = append(got, kindAndValue(x))
			}
		}
		if text := strings.Join(got, " "); err == nil && text != tt.want || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: got %q, %v, want %q", tt.attrs, text, err, tt.want)
		}
	}
	for _, kinds := range [][]string{{"x"}, {"=real"}, {"x=reel"}, {"x="}, {"x=real", "x=category"}} {
		if _, err := attributesOf(nil, kinds, nil); err == nil {
			t.Errorf("--kind %q was taken", kinds)
		}
	}
	if a, err := attributesOf(nil, []string{"x=y=real", "x=y=real"}, nil); err != nil || a.stated["x=y"] != count.Real {
		t.Errorf("--kind x=y=real: %v", err)
	}
}

// --attr goes before the source, and that before the message.
func TestAttributesOfOneName(t *testing.T) {
	t.Parallel()
	a, err := attributesOf(map[string]count.Kind{}, nil, []string{"size=3", "day=mon"})
	if err != nil {
		t.Fatal(err)
	}
	d := Document{
		Document: corpus.Document{Attributes: []corpus.Attribute{bare("list", "m"), bare("size", 2.0)}},
		Read:     []tokenize.Attribute{{Name: "to", Value: "a@b"}, {Name: "size", Value: 1.0}, {Name: "list", Value: "l"}},
		added:    a.added,
	}
	if err := a.Resolve(&d); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range d.Attributes {
		got = append(got, kindAndValue(x))
	}
	if text := strings.Join(got, " "); text != "day:category=mon list:category=m size:real=3 to:category=a@b" {
		t.Error(text)
	}
}

// What reaches a Classifier is what was counted: learned and forgotten through a
// database it leaves nothing.
func TestAttributesReachTheStore(t *testing.T) {
	t.Parallel()
	c, err := classify.Open(filepath.Join(t.TempDir(), "test.polya"), classify.Options{Analyzer: "polya-7 attr=sender,size"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := attributesOf(map[string]count.Kind{}, nil, []string{"urgent=no"})
	if err != nil {
		t.Fatal(err)
	}
	a.Learns = true
	d := Document{Document: corpus.Document{Format: corpus.Mail, Content: []byte("From: a@example.org\n\nwords\n")}, added: a.added}
	d.Count(c.Analyzer(), true)
	if err := a.Resolve(&d); err != nil {
		t.Fatal(err)
	}
	var b classify.Batch
	doc := d.Learnable("")
	doc.Time = time.Unix(1, 0)
	if err := b.Train("spam", doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	b.Delta().Each(func(_ count.DocID, _ string, e *store.Encoded) {
		for _, x := range e.Attributes {
			got = append(got, kindAndValue(x))
		}
	})
	size := math.Floor(math.Log(28)*65536+.5) / 65536 // 27 bytes
	if text := strings.Join(got, " "); text != fmt.Sprintf("sender:category=a@example.org size:real=%v urgent:yesno=0", size) {
		t.Error(text)
	}
}

// A database with very many attributes does not have each name compared with each other.
func TestNotesOfMany(t *testing.T) {
	t.Parallel()
	a, err := attributesOf(map[string]count.Kind{"knwon000007": count.Real}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20_000 {
		known := fmt.Sprintf("known%06d", i)
		a.before[known], a.counted[known] = true, count.Real
	}
	start := time.Now()
	if notes := a.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "known000007") {
		t.Errorf("%.300q", notes)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the notes took %v", took)
	}
}

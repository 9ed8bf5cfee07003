package corpus_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polya-classifier/polya/classify/corpus"
)

// mboxrd writes messages as programs that quote well do: every line of ">" and
// "From " gets another ">", every message an empty line after it.
func mboxrd(messages []string) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("From a@example.org Thu Aug 22 12:36:23 2002\n")
		for line := range strings.Lines(m) {
			if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
				b.WriteByte('>')
			}
			b.WriteString(line)
		}
		if m != "" && !strings.HasSuffix(m, "\n") {
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func FuzzMbox(f *testing.F) {
	f.Add(mail, "", "From me\n>From you\n\nFrom a@example.org Thu Aug 22 12:36:23 2002\n")
	f.Add("\n", "\r\n\r\n", ">")
	f.Add("x", "\n\nFrom ", "\x00\r")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		messages := []string{a, b, c}
		got, err := stream(strings.NewReader(mboxrd(messages)), corpus.Options{})
		if err != nil || len(got) != len(messages) {
			t.Fatalf("%d messages, %v", len(got), err)
		}
		for i, m := range messages {
			if m != "" && !strings.HasSuffix(m, "\n") {
				m += "\n"
			}
			if string(got[i].Content) != m {
				t.Errorf("message %d is %q, want %q", i+1, got[i].Content, m)
			}
		}
	})
}

func FuzzJSONL(f *testing.F) {
	f.Add([]byte(`{"text":"x","class":"y","id":1,"time":"2020-01-01"}`), "text", 1.5)
	f.Add([]byte("{\"text\":\"\"}\nbad\n{}"), "\x00\n", 0.0)
	f.Add([]byte(`{"TEXT":"\ud800","attributes":{"a":-1e-3,"b":true,"c":null,"":1},"x":[[{}]]}`), "é", -1e300)
	f.Add([]byte(`{"text":"x","time":"`+strings.Repeat("a", 2000)+`"}`), "", 0.0)
	f.Fuzz(func(t *testing.T, lines []byte, text string, number float64) {
		got, err := stream(bytes.NewReader(lines), corpus.Options{Format: corpus.JSONL})
		checkErrors(t, err)
		if isArray := bytes.HasPrefix(bytes.TrimLeft(lines, "\ufeff \t\r\n"), []byte("[")); !isArray {
			for _, d := range got {
				checkRecord(t, lines, &d)
			}
		}
		text = strings.ToValidUTF8(text, "?")
		if number != number || math.IsInf(number, 0) {
			return
		}
		line, err := json.Marshal(map[string]any{"text": text, "class": text, "id": text, "attributes": map[string]any{"n" + text: number, "s": text, "y": true}})
		if err != nil {
			t.Fatal(err)
		}
		got, err = stream(bytes.NewReader(append(line, '\n')), corpus.Options{})
		if err != nil || len(got) != 1 {
			t.Fatalf("%d documents, %v", len(got), err)
		}
		if d := got[0]; string(d.Content) != text || d.Class != text || d.ID != text || !slices.ContainsFunc(d.Attributes, func(a corpus.Attribute) bool {
			return a.Name == "n"+text && a.Value == number
		}) {
			t.Errorf("%q and %v came back as %+v", text, number, d)
		}
	})
}

// checkRecord compares a document with what encoding/json alone makes of its line.
func checkRecord(t *testing.T, lines []byte, d *corpus.Document) {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(d.Path, "-:"))
	if err != nil || n < 1 {
		t.Fatalf("path %q", d.Path)
	}
	line := bytes.Split(lines, []byte("\n"))[n-1]
	if n == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	// A number may be beyond a float64 where nobody asks for it.
	var record map[string]any
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	if err := in.Decode(&record); err != nil || !json.Valid(line) {
		t.Fatalf("%q gave a document: %v", line, err)
	}
	text, attributes := "", map[string]any{}
	for key, value := range record {
		switch s, isString := value.(string); {
		case strings.EqualFold(key, "text") && isString:
			text = s
		case strings.EqualFold(key, "attributes") && value != nil:
			attributes = value.(map[string]any)
		}
	}
	if string(d.Content) != text {
		t.Fatalf("%q has the text %q", line, d.Content)
	}
	for _, a := range d.Attributes {
		want := attributes[a.Name]
		if number, ok := want.(json.Number); ok {
			want, _ = number.Float64()
		}
		if want != a.Value {
			t.Fatalf("%q has %s: %v", line, a.Name, a.Value)
		}
	}
}

// checkErrors fails the test unless each error is one short line.
func checkErrors(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line == "" || len(line) > 1000 {
			t.Fatalf("error %.2000q", err)
		}
	}
}

// FuzzWalk asks that any bytes give the same documents whether they come at once or one
// by one, each no longer than it may be.
func FuzzWalk(f *testing.F) {
	f.Add([]byte(mbox2), uint8(corpus.Auto), uint16(100))
	f.Add([]byte(mail), uint8(corpus.Auto), uint16(7))
	f.Add([]byte("{\"text\":\"x\"}\n{a: b\nFrom: c\n"), uint8(corpus.Auto), uint16(7))
	f.Add([]byte("{a: b\nFrom: c\n"), uint8(corpus.Auto), uint16(7))
	f.Add([]byte("a;b\n1;\"2\n"), uint8(corpus.CSV), uint16(7))
	f.Add([]byte("\ufeff \n<p>a"), uint8(corpus.Auto), uint16(0))
	f.Add([]byte("__label__a __label__b x\n\n__label__"), uint8(corpus.Lines), uint16(7))
	f.Add([]byte("\ufeff [{\"text\":\"x\"},\n{\"text\":1}, 5,{\"text\":\"y\"}"), uint8(corpus.JSONL), uint16(7))
	f.Fuzz(func(t *testing.T, in []byte, format uint8, most uint16) {
		o := corpus.Options{Format: corpus.Format(format) % (corpus.CSV + 1), MaxBytes: int64(most) + 1}
		if one, _ := standardInput(bytes.NewReader(in), o); o.Format <= corpus.Text && len(one) > 1 {
			t.Fatalf("%d documents", len(one))
		}
		want, wantErr := stream(bytes.NewReader(in), o)
		checkErrors(t, wantErr)
		for _, d := range want {
			if int64(len(d.Content)) > o.MaxBytes {
				t.Fatalf("%s has %d bytes of %d", d.Path, len(d.Content), o.MaxBytes)
			}
		}
		got, err := stream(iotest.OneByteReader(bytes.NewReader(in)), o)
		if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("byte by byte: %+v, %v\nat once: %+v, %v", got, err, want, wantErr)
		}
	})
}

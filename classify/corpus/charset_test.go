package corpus_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/polya-classifier/polya/classify/corpus"
)

// Tables are read as UTF-16 as golang.org/x/text writes it.
func TestUTF16Tables(t *testing.T) {
	const in = "class\tday\ttext\nspäm\tmon 🎁\tgrüße\n"
	const want = `-:2 class=späm id= copy=0 "grüße" day:string=mon 🎁`
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		written, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rows(written, corpus.Options{}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%v: %q, %v", order, got, err)
		}
		docs, err := stream(iotest.OneByteReader(strings.NewReader(written)), corpus.Options{Format: corpus.CSV})
		if err != nil || len(docs) != 1 || string(docs[0].Content) != "grüße" {
			t.Errorf("%v, byte by byte: %+v, %v", order, docs, err)
		}
	}
}

// JSON lines and arrays are read as UTF-16 too, with a mark or without.
func TestUTF16JSON(t *testing.T) {
	for _, in := range []string{"{\"text\":\"grüße\"}\n{\"text\":\"🎁\"}\n", " [{\"text\":\"grüße\"},{\"text\":\"🎁\"}]"} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			written, err := unicode.UTF16(unicode.LittleEndian, mark).NewEncoder().String(in)
			if err != nil {
				t.Fatal(err)
			}
			docs, err := stream(iotest.OneByteReader(strings.NewReader(written)), corpus.Options{Format: corpus.JSONL})
			if err != nil || len(docs) != 2 || string(docs[0].Content) != "grüße" || string(docs[1].Content) != "🎁" {
				t.Errorf("%q: %+v, %v", written, docs, err)
			}
		}
	}
}

// Halves of pairs that stand alone, and half a unit at the end, are marked.
func TestBrokenUTF16(t *testing.T) {
	in := "\xff\xfex\x00\n\x00" + "a\x00\x00\xd8b\x00" + "\x3c\xd8\x3c\xd8\x81\xdf" + "\x00\xdc\x00\xd8\x00\x00c"
	got, err := rows(in, corpus.Options{})
	if want := "-:2 class= id= copy=0 \"\" x:string=a\ufffdb\ufffd🎁\ufffd\ufffd\x00\ufffd"; err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// A cell that is not UTF-8 has the characters that golang.org/x/text gives its bytes.
func TestWindows1252Cells(t *testing.T) {
	for b := range 0x80 {
		b := byte(0x80 + b)
		docs, err := stream(bytes.NewReader([]byte{'x', '\n', '_', b, '_', '\n'}), corpus.Options{Format: corpus.CSV})
		if err != nil || len(docs) != 1 {
			t.Fatalf("%x: %+v, %v", b, docs, err)
		}
		if got, want := docs[0].Attributes[0].Value, "_"+string(charmap.Windows1252.DecodeByte(b))+"_"; got != want {
			t.Errorf("%x: %q, want %q", b, got, want)
		}
	}
}

// Columns of numbers with something else are told of, before their documents come.
func TestMixedColumns(t *testing.T) {
	for in, want := range map[string]string{
		"price\n1\n2\nfree\nNA\nno5\n3\n":   `price: 3 of 5, "free" in 4`,
		"a,b\n1,\"x\ny\"\n2,1\nyes,2\n3,\n": `a: 3 of 4, "yes" in 5; b: 2 of 3, "x\ny" in 2`,
		"x\n$1\n$2\n3\n":                    "",
		"x\n1\n2\n-\n":                      "",
		"x\nyes\nno\n1\n":                   "",
		"x\nno\n1\n":                        `x: 1 of 2, "no" in 2`,
		"x\n\n":                             "",
	} {
		var told []string
		o := corpus.Options{Format: corpus.CSV, Stdin: strings.NewReader(in)}
		o.Decided = func(m corpus.Column) {
			if !m.Mixed() {
				return
			}
			if m.Path != "-" {
				t.Errorf("%q: of %s", in, m.Path)
			}
			told = append(told, mixedText(m))
		}
		docs := 0
		_ = corpus.Walk(t.Context(), "-", o, func(*corpus.Document) error {
			if docs++; strings.Join(told, "; ") != want {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func mixedText(m corpus.Column) string {
	return fmt.Sprintf("%s: %d of %d, %q in %d", m.Name, m.Numbers, m.Cells, m.Other, m.Line)
}

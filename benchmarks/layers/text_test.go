package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/testdata"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// messages are the sample messages to learn from.
func messages(tb testing.TB) (all [][]byte, classes []string, size int) {
	tb.Helper()
	err := fs.WalkDir(testdata.Mail, "mail/train", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := testdata.Mail.ReadFile(path)
		all, classes, size = append(all, raw), append(classes, strings.Split(path, "/")[2]), size+len(raw)
		return err
	})
	if err != nil || len(all) == 0 {
		tb.Fatal(len(all), err)
	}
	return all, classes, size
}

func analyzer(tb testing.TB, spec string) *tokenize.Analyzer {
	tb.Helper()
	a, err := tokenize.New(spec)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// BenchmarkMail is decoding and counting: a message to its terms, with its attributes
// in the second.
func BenchmarkMail(b *testing.B) {
	for _, spec := range []string{"", "polya-7 attr=mail"} {
		name := "Terms"
		if spec != "" {
			name = "Attributes"
		}
		b.Run(name, func(b *testing.B) {
			a := analyzer(b, spec)
			all, _, size := messages(b)
			var bag tokenize.Bag
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, raw := range all {
					bag.Reset()
					mail.Read(a, &bag, raw)
				}
			}
		})
	}
}

// BenchmarkText is segmenting, folding and stemming of plain text: the messages as if
// they were one.
func BenchmarkText(b *testing.B) {
	all, _, size := messages(b)
	for _, spec := range []struct{ name, spec string }{
		{"Words", "polya-7 lang=none stem=off"},
		{"Default", ""},
		{"English", "polya-7 lang=en stem=on"},
	} {
		b.Run(spec.name, func(b *testing.B) {
			a := analyzer(b, spec.spec)
			var bag tokenize.Bag
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, raw := range all {
					bag.Reset()
					a.Text(&bag, "", raw)
				}
			}
		})
	}
}

// BenchmarkCorpus is BenchmarkText over the files of the folder POLYA_BENCH_CORPUS, many
// enough that most words are rare: cold with an analyzer that has seen no text before,
// warm with one that has seen all.
func BenchmarkCorpus(b *testing.B) {
	dir := os.Getenv("POLYA_BENCH_CORPUS")
	if dir == "" {
		b.Skip("POLYA_BENCH_CORPUS is not set")
	}
	var all [][]byte
	size := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all, size = append(all, raw), size+len(raw)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, cold := range []bool{true, false} {
		b.Run(map[bool]string{true: "Cold", false: "Warm"}[cold], func(b *testing.B) {
			a := analyzer(b, "")
			var bag tokenize.Bag
			pass := func() {
				for _, raw := range all {
					bag.Reset()
					a.Text(&bag, "", raw)
				}
			}
			pass()
			b.SetBytes(int64(size))
			for b.Loop() {
				if cold {
					a = analyzer(b, "")
				}
				pass()
			}
		})
	}
}

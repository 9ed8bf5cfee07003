package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/polya-classifier/polya/internal/spelling"
)

// An Error is something wrong in a file.
type Error struct {
	File string
	Line int // 0 if it is about no line
	Text string
}

// Error returns the error as compilers write it.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// Load reads and checks a file. The error is one of the file system, an *Error, or
// several of these joined, in the order of their lines.
func Load(path string) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return parse(path, folder, string(text))
}

// mismatch is how the decoder says that a value is of another type than its key. It is
// compiled when it is needed: every command of polya would wait for it.
const mismatch = `^line ([0-9]+) \(last key "([^"]*)"\)(: .*)`

// defaults are what a file says that says nothing.
func defaults() *Config {
	return &Config{
		Database: Database{
			Spam: []string{"spam"}, Classes: []string{"ham"}, Model: "auto", Ledger: "full", MaxMessage: 64 << 20,
			Control: true, MaxWaiting: 1000, MaxAnswers: 1000, FitAfter: time.Second,
		},
		Users:     Users{MaxOpen: 50},
		Decisions: Decisions{Keep: true, Size: 64 << 20, Retention: 14 * 24 * time.Hour},
		Auto:      Auto{Error: .01, People: 50, Slack: 50},
		Log:       Log{Level: slog.LevelInfo, Format: "text"},
	}
}

func parse(path, folder, text string) (*Config, error) {
	c := defaults()
	meta, err := toml.Decode(text, c)
	if err != nil {
		e := &Error{File: path, Text: strings.TrimPrefix(err.Error(), "toml: ")}
		if m := regexp.MustCompile(mismatch).FindStringSubmatch(e.Text); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.Text = m[2] + m[3]
		}
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			e.Line, e.Text = syntax.Position.Line, syntax.Message
			if syntax.LastKey != "" {
				e.Text = syntax.LastKey + ": " + e.Text
			}
		}
		return nil, e
	}
	k := &checker{file: path, folder: folder, lines: linesOf(text)}
	k.unknown(meta.Undecoded())
	k.config(c)
	slices.SortFunc(k.errors, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Text, b.Text)) })
	var all []error
	for _, e := range k.errors {
		all = append(all, e)
	}
	if all != nil {
		return nil, errors.Join(all...)
	}
	return c, nil
}

// checker gathers what is wrong.
type checker struct {
	file, folder string
	lines        lines
	errors       []*Error
}

// wrong says what is wrong with the value of a key.
func (k *checker) wrong(key, format string, args ...any) {
	k.errors = append(k.errors, &Error{k.file, k.lines.find(key), key + ": " + fmt.Sprintf(format, args...)})
}

// unknown says which keys there are not.
func (k *checker) unknown(keys []toml.Key) {
	said := map[string]bool{}
	for _, key := range keys {
		name := strings.Join(key, ".")
		if said[name] || slices.ContainsFunc(keys, func(of toml.Key) bool { return len(of) < len(key) && slices.Equal(of, key[:len(of)]) }) {
			continue // or part of what is unknown
		}
		said[name] = true
		text := "there is no key " + name
		if near := spelling.Near(key[len(key)-1], keysOf(reflect.TypeFor[Config](), key[:len(key)-1])); near != "" {
			text += "; did you mean " + near + "?"
		}
		for _, line := range k.lines.all(name) {
			k.errors = append(k.errors, &Error{k.file, line, text})
		}
	}
}

// keysOf returns the keys that a table of t has.
func keysOf(t reflect.Type, table []string) (keys []string) {
	if t.Kind() == reflect.Slice {
		return keysOf(t.Elem(), table)
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		key := f.Tag.Get("toml")
		if len(table) > 0 && key == table[0] {
			return keysOf(f.Type, table[1:])
		}
		keys = append(keys, key)
	}
	return keys
}

// path makes a path one below the folder of the file, unless it is absolute.
func (k *checker) path(path *string) {
	if *path != "" && !filepath.IsAbs(*path) {
		*path = filepath.Join(k.folder, *path)
	}
}

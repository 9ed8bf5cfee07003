// Package settings reads a program's settings from a TOML file, and reports all errors at once,
// with their lines.
package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/polya-classifier/polya/internal/spelling"
)

// An Error is an error in a file.
type Error struct {
	File string
	Line int // 0 if the error has no line
	Text string
}

// Error returns the error in the form FILE:LINE: TEXT of compilers.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// A Checker collects the errors in a file.
type Checker struct {
	file, folder string
	lines        lines
	errors       []*Error
}

// Load reads a file into a struct with fields tagged toml, which holds the defaults. The error
// is a file system error or an *Error. The Checker collects the others: unknown keys, and those
// added to it later.
func Load(path string, into any) (*Checker, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return Parse(path, folder, string(text), into)
}

// mismatch matches the decoder's error about a value of the wrong type. It is compiled on first
// use: otherwise every command of polya would wait for it.
const mismatch = `^line ([0-9]+) \(last key "([^"]*)"\)(: .*)`

// Parse is Load for the text of a file; relative paths in it are relative to folder.
func Parse(path, folder, text string, into any) (*Checker, error) {
	meta, err := toml.Decode(text, into)
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
	k := &Checker{file: path, folder: folder, lines: linesOf(text)}
	k.unknown(meta.Undecoded(), reflect.TypeOf(into).Elem())
	return k, nil
}

// Wrong adds an error about the value of a key, written as "spamd[1].address"; "" is the whole
// file.
func (k *Checker) Wrong(key, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if key != "" {
		text = key + ": " + text
	}
	k.errors = append(k.errors, &Error{k.file, k.lines.find(key), text})
}

// Err returns the errors, *Errors joined in the order of their lines, or nil.
func (k *Checker) Err() error {
	slices.SortFunc(k.errors, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Text, b.Text)) })
	var all []error
	for _, e := range k.errors {
		all = append(all, e)
	}
	return errors.Join(all...)
}

// unknown adds errors about keys that a struct of type t lacks.
func (k *Checker) unknown(keys []toml.Key, t reflect.Type) {
	said := map[string]bool{}
	for _, key := range keys {
		name := strings.Join(key, ".")
		if said[name] || slices.ContainsFunc(keys, func(of toml.Key) bool { return len(of) < len(key) && slices.Equal(of, key[:len(of)]) }) {
			continue // or part of an unknown table
		}
		said[name] = true
		text := "there is no key " + name
		if near := spelling.Near(key[len(key)-1], keysOf(t, key[:len(key)-1])); near != "" {
			text += "; did you mean " + near + "?"
		}
		for _, line := range k.lines.all(name) {
			k.errors = append(k.errors, &Error{k.file, line, text})
		}
	}
}

// keysOf returns the keys of a table in t.
func keysOf(t reflect.Type, table []string) (keys []string) {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		return keysOf(t.Elem(), table)
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if len(table) > 0 && key == table[0] {
			return keysOf(f.Type, table[1:])
		}
		keys = append(keys, key)
	}
	return keys
}

// Path makes a path relative to the folder of the file, unless it is absolute or "".
func (k *Checker) Path(path *string) {
	if *path != "" && !filepath.IsAbs(*path) {
		*path = filepath.Join(k.folder, *path)
	}
}

// Text returns settings as a file has them.
func Text(from any) ([]byte, error) {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(from)
	return b.Bytes(), err
}

// Package settings reads a program's settings from a TOML file, and reports all errors at once.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/polya-classifier/polya/internal/spelling"
)

// A Checker collects the errors in a file.
type Checker struct {
	file, folder string
	errors       []error
}

// maxFile is the largest file of settings, in bytes. The decoder calls itself for each bracket.
const maxFile = 256 << 10

// Load reads a file into a struct with fields tagged toml, which holds the defaults. The error
// is a file system error or of the syntax. The Checker collects the others: unknown keys, and those
// added to it later.
func Load(path string, into any) (*Checker, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: more than %d KiB: is it a file of settings?", path, maxFile>>10)
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return Parse(path, folder, string(text), into)
}

// place matches the beginning of the decoder's errors. It is compiled on first use: otherwise every
// command of polya would wait for it.
const place = `^toml: line ([0-9]+)(?: \(last key "([^"]*)"\))?: `

// oneOfSeveral is the decoder's error about a table of which there may be several.
const oneOfSeveral = "incompatible types: TOML value has type map[string]any; destination has type slice"

// Parse is Load for the text of a file; relative paths in it are relative to folder.
func Parse(path, folder, text string, into any) (*Checker, error) {
	meta, err := toml.Decode(text, into)
	if err != nil {
		text := regexp.MustCompile(place).ReplaceAllString(err.Error(), "$1: $2: ")
		text = strings.NewReplacer(": : ", ": ", "cannot have leading zeroes", "want no 0 at its beginning, or quotes around it",
			oneOfSeveral, "there may be several: its name has two brackets, as in [[name]]").Replace(text)
		text = regexp.MustCompile(`(?:incompatible types: .+ destination has type|type mismatch for .+: expected) (\S+)( but .+)?$`).ReplaceAllString(text, "want a value of type $1")
		return nil, fmt.Errorf("%s:%s", path, text)
	}
	k := &Checker{file: path, folder: folder}
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
	k.errors = append(k.errors, fmt.Errorf("%s: %s", k.file, text))
}

// Want adds an error about the value of a key unless it is as wanted; see Wrong.
func (k *Checker) Want(ok bool, key, format string, args ...any) {
	if !ok {
		k.Wrong(key, format, args...)
	}
}

// Err returns the errors joined, or nil.
func (k *Checker) Err() error { return errors.Join(k.errors...) }

// unknown adds errors about keys that a struct of type t lacks.
func (k *Checker) unknown(keys []toml.Key, t reflect.Type) {
	said := map[string]bool{}
	for _, key := range keys {
		name := strings.Join(key, ".")
		if said[name] || slices.ContainsFunc(keys, func(of toml.Key) bool { return len(of) < len(key) && slices.Equal(of, key[:len(of)]) }) {
			continue // or part of an unknown table
		}
		said[name] = true
		k.Wrong("", "there is no key %s%s", name, spelling.Meant(key[len(key)-1], keysOf(t, key[:len(key)-1])))
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

// minToken is the least length of a token, so that it cannot be guessed.
const minToken = 16

// Token reads the token from the file that the key names, which nobody else may be able to
// read. Errors are added under the key.
func (k *Checker) Token(key, file string) string {
	info, err := os.Stat(file)
	if err != nil {
		k.Wrong(key, "%v", err)
		return ""
	}
	if info.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" {
		k.Wrong(key, "everybody may read or write %s: want mode 0600 or 0640", file)
	}
	text, err := os.ReadFile(file)
	token := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		k.Wrong(key, "%v", err)
	case len(token) < minToken || strings.ContainsAny(token, " \t\r\n:"):
		k.Wrong(key, "%s: want one word of at least %d characters, without a colon", file, minToken)
	}
	return token
}

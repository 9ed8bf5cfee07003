package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/parquet-go/parquet-go"
)

// open returns what is to be read as the file at path, nil for a local file or folder that
// the reader opens itself. A Parquet file is read as JSON lines.
func open(ctx context.Context, t *training, path string) (io.ReadCloser, error) {
	isTable := strings.HasSuffix(path, parquetSuffix)
	if !isURL(path) {
		if !isTable {
			return nil, nil
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, errors.Unwrap(err)
		}
		return rows(t, f)
	}
	if t.Folders {
		return nil, errors.New("--folders reads folders of a local disk")
	}
	from, err := openFile(ctx, path)
	if err != nil || !isTable {
		return from, err
	}
	// The index of a Parquet file is at its end.
	defer from.Close()
	f, err := os.CreateTemp("", "polya-count-*"+parquetSuffix)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // it goes when it is closed
	if _, err := io.Copy(f, from); err != nil {
		f.Close()
		return nil, err
	}
	return rows(t, f)
}

// openFile opens a file of any file system of Beam, which may be closed before the file, as in Beam's fileio.
func openFile(ctx context.Context, path string) (io.ReadCloser, error) {
	system, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	return system.OpenRead(ctx, path)
}

const parquetSuffix = ".parquet"

// rows returns the rows of a Parquet file as JSON lines, and closes the file with them.
func rows(t *training, f *os.File) (io.ReadCloser, error) {
	info, err := f.Stat()
	var table *parquet.File
	var end [8]byte
	if err == nil {
		_, err = f.ReadAt(end[:], info.Size()-int64(len(end)))
	}
	if size := binary.LittleEndian.Uint32(end[:]); err == nil && int64(size) > info.Size() {
		err = io.ErrUnexpectedEOF // the library would allocate that much first
	}
	if err == nil {
		err = guard(func() (err error) {
			table, err = parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
			return err
		})
	}
	if err != nil {
		f.Close()
		if of := new(fs.PathError); errors.As(err, &of) { // the name of a copy says nothing
			err = of.Err
		}
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	names := t.fields()
	for _, name := range names {
		if _, ok := table.Schema().Lookup(name); !ok && !slices.Contains([]string{"class", "text", "id"}, name) {
			f.Close()
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	for _, column := range table.Schema().Fields() {
		if !column.Leaf() || column.Repeated() {
			f.Close()
			return nil, fmt.Errorf("column %q does not have one value a row, as text, attributes and the like must", column.Name())
		}
	}
	r, w := io.Pipe()
	go func() {
		defer f.Close()
		w.CloseWithError(guard(func() error { return names.write(w, table) }))
	}()
	return r, nil
}

var errDamaged = errors.New("not a Parquet file, or a damaged one")

// guard makes an error of a panic about a file that is damaged.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return f()
}

// columns are those that are not attributes.
type columns []string

// fields returns the columns that the reader of JSON lines takes for class, text and id.
func (t *training) fields() (c columns) {
	if !t.Options.NoClasses {
		c = append(c, cmp.Or(t.Options.ClassColumn, "class"))
	}
	if !t.Options.NoIDs {
		c = append(c, cmp.Or(t.Options.IDColumn, "id"))
	}
	if !t.Options.NoTexts && t.Options.TextColumns == nil {
		return append(c, "text")
	}
	return append(c, t.Options.TextColumns...)
}

// write writes a line for each row.
func (c columns) write(to io.Writer, table *parquet.File) error {
	reader := parquet.NewGenericReader[map[string]any](table, table.Schema())
	defer reader.Close()
	lines := json.NewEncoder(to)
	lines.SetEscapeHTML(false)
	batch := make([]map[string]any, 256)
	for {
		for i := range batch {
			batch[i] = map[string]any{}
		}
		n, err := reader.Read(batch)
		for _, row := range batch[:n] {
			err := lines.Encode(c.document(row))
			if wrong := new(json.UnsupportedValueError); errors.As(err, &wrong) { // a number that is none: the reader names the row
				_, err = io.WriteString(to, wrong.Str+"\n")
			}
			if err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 { // the library would go on for ever
			return errDamaged
		}
	}
}

// document returns the row as a JSON line has it.
func (c columns) document(row map[string]any) map[string]any {
	document, attributes := map[string]any{}, map[string]any{}
	for name, value := range row {
		if bytes, ok := value.([]byte); ok {
			value = string(bytes)
		}
		if value == nil {
			continue
		}
		attributes[name] = value
	}
	for _, name := range c {
		if value, ok := attributes[name]; ok {
			document[name] = value
			if _, text := value.(string); !text {
				document[name] = fmt.Sprint(value)
			}
			delete(attributes, name)
		}
	}
	if len(attributes) > 0 {
		document["attributes"] = attributes
	}
	return document
}

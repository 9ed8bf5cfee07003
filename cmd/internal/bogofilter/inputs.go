package bogofilter

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/incoming"
)

// each calls do for each message of each input, with the name of the input, "" for
// standard input and -I.
func (r *run) each(do func(name string, m *incoming.Message) error) error {
	switch {
	case r.Named:
		for _, name := range r.Names {
			if err := r.object(name, do); err != nil {
				return err
			}
		}
		return nil
	case r.FromNames:
		in := bufio.NewScanner(r.Stdin)
		for in.Scan() {
			if err := r.object(in.Text(), do); err != nil {
				return err
			}
		}
		return in.Err()
	}
	return r.messages("", r.Stdin, do)
}

// object calls do for the messages of a file, a Maildir or a folder of MH.
func (r *run) object(name string, do func(string, *incoming.Message) error) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.file(name, do)
	}
	folders, isMessage := []string{"new", "cur"}, func(name string) bool { return name[0] != '.' }
	if _, err := os.Stat(filepath.Join(name, "cur")); err != nil {
		folders, isMessage = []string{"."}, func(name string) bool { return strings.Trim(name, "0123456789") == "" }
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(name, folder))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.IsDir() && isMessage(e.Name()) {
				if err := r.file(filepath.Join(name, folder, e.Name()), do); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *run) file(name string, do func(string, *incoming.Message) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.messages(name, f, do)
}

// messages calls do for the one message of a stream, or for each of a mailbox.
func (r *run) messages(name string, in io.Reader, do func(string, *incoming.Message) error) error {
	if !r.Mailbox {
		m, err := incoming.Read(in, incoming.Limit())
		if err != nil {
			return err
		}
		return do(name, m)
	}
	lines := &mailbox{in: bufio.NewReader(in)}
	for {
		content, err := lines.next()
		if err != nil && err != io.EOF {
			return fmt.Errorf("%w: %w", incoming.ErrIncomplete, err)
		}
		if len(content) > 0 {
			if err := do(name, &incoming.Message{Content: content}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// A mailbox is a stream of messages. Each begins with a From_ line at the start of the
// stream or after an empty line.
type mailbox struct {
	in    *bufio.Reader
	first []byte // line of the next message, which was read already
}

// next returns the next message. With the last one the error is io.EOF.
func (m *mailbox) next() ([]byte, error) {
	content, empty := m.first, false
	m.first = nil
	for {
		line, err := m.in.ReadBytes('\n')
		if empty && bytes.HasPrefix(line, []byte("From ")) {
			m.first = line
			return content, nil // the error comes again on the next read
		}
		content = append(content, line...)
		if err != nil {
			return content, err
		}
		empty = len(bytes.TrimRight(line, "\r\n")) == 0
	}
}

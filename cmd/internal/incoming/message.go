// Package incoming is about one message on standard input: it asks the daemon or the database
// about it, teaches it, and passes it on. The message arrives whatever fails: nothing is written
// before the whole output is known, and until then the message can pass unchanged.
package incoming

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
)

// maxMessage is the limit of the daemon.
const maxMessage = 64 << 20

// ErrIncomplete says that a message could not be read to its end or not be written. The
// caller must report it to the sender, so that the message is kept.
var ErrIncomplete = errors.New("the message did not pass")

// A Message is the message in a stream, in memory up to the limit of Read.
type Message struct {
	Content []byte    // all of it, unless it is Long
	Long    bool      // the rest, if there is one, is still in the stream
	rest    io.Reader // the rest
}

// request returns a request about the message, from its part in memory.
func (m *Message) request(source string) backend.Request {
	return backend.Request{Message: m.Content, Cut: m.Long, Source: source}
}

// Read reads a message. Of one that is not shorter than limit the rest stays in the stream.
func Read(in io.Reader, limit int) (*Message, error) {
	content, err := io.ReadAll(io.LimitReader(in, int64(limit)))
	return &Message{Content: content, Long: len(content) == limit, rest: in}, incomplete(err)
}

// Unchanged writes the message as received.
func (m *Message) Unchanged(out io.Writer) error { return m.write(out, m.Content) }

// Edited returns a function that writes the message with fields added and forged ones
// removed, as header.Edit does. Everything that can fail except writing is done before it
// returns.
func (m *Message) Edited(add []header.Field, forged func(name string) bool) func(io.Writer) error {
	head, body := header.Edit(m.Content, add, forged)
	return func(out io.Writer) error { return m.write(out, head, body) }
}

// write writes the parts and, after them, the rest of a long message.
func (m *Message) write(out io.Writer, parts ...[]byte) error {
	if closed(out) {
		return incomplete(errors.New("standard output is closed"))
	}
	in, out := direct(m.rest, out)
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		if _, err := out.Write(part); err != nil {
			return incomplete(err)
		}
	}
	if !m.Long {
		return nil
	}
	_, err := io.Copy(out, in)
	return incomplete(err)
}

// closed reports whether out, standard output, is closed: Go's runtime then opens the null device, for reading too.
func closed(out io.Writer) bool {
	f, _ := out.(*os.File)
	info, _ := f.Stat() // none of another writer
	if null, _ := os.Stat(os.DevNull); !os.SameFile(info, null) {
		return false
	}
	_, err := f.Read(make([]byte, 1))
	return err == io.EOF
}

func incomplete(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	return err
}

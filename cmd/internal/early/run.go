package early

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/passing"
	"github.com/polya-classifier/polya/internal/regular"
	"github.com/polya-classifier/polya/serve/control/client"
)

const (
	// maxDocument is the size of a document that is sent to a daemon. Sending a longer one takes
	// longer than opening the database.
	maxDocument = 256 << 10

	// changeTimeout is how long a command waits for a daemon that learns.
	changeTimeout = 30 * time.Second
)

// taken is standard input including the part that was already read.
var taken io.Reader

// Stdin is standard input from where the program has to read it.
func Stdin() io.Reader {
	if taken != nil {
		return taken
	}
	return os.Stdin
}

// run has a daemon run a command and ends the process, or returns.
func (b *Brief) run(database string, daemon *client.Client) {
	document, ok := b.Document(database)
	if !ok || b.Path != "-" && bytes.HasPrefix(document, []byte("From ")) { // it may be a mailbox
		return
	}
	if b.Changes() {
		daemon.Timeout = changeTimeout
	}
	r, err := daemon.Run(&client.Command{Database: database, Args: os.Args[1:], Document: document})
	switch {
	case client.IsTimeout(err) && b.Changes():
		fmt.Fprintf(os.Stderr, "polya: %s: no answer from the daemon within %v; it may do later what it was asked to\n", database, daemon.Timeout)
		os.Exit(Trouble)
	case err != nil:
		return
	}
	_, err = os.Stdout.WriteString(r.Out)
	os.Stderr.WriteString(r.Err)
	if err != nil {
		fmt.Fprintf(os.Stderr, "polya: %v\n", err)
		os.Exit(Trouble)
	}
	os.Exit(r.Code)
}

// Document returns the document if it can be read without regard to other files, its folder or
// its name. Standard input can be read again.
func (b *Brief) Document(database string) (content []byte, ok bool) {
	if b.Class != "" {
		if _, err := os.Lstat(b.Class); err == nil {
			return nil, false
		}
	}
	if b.Path == "-" {
		return standardInput()
	}
	info, err := os.Stat(b.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxDocument ||
		filepath.Base(b.Path) == filepath.Base(database) || strings.Trim(b.Path, "0123456789abcdefABCDEF") == "" {
		return nil, false
	}
	f, err := regular.OpenFile(b.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	content = make([]byte, info.Size()+1)
	n, err := io.ReadFull(f, content)
	return content[:n], err == io.EOF || err == io.ErrUnexpectedEOF // and not more than it was
}

// standardInput reads a document from standard input unless that is a terminal or a device. If
// the document is too long, the part read is left to be read again.
func standardInput() (content []byte, ok bool) {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeDevice != 0 {
		return nil, false
	}
	start, err := os.Stdin.Seek(0, io.SeekCurrent)
	file := err == nil && info.Mode().IsRegular()
	m, err := passing.Read(os.Stdin, maxDocument)
	if file {
		if _, err := os.Stdin.Seek(start, io.SeekStart); err != nil {
			return nil, false
		}
	} else {
		taken = io.MultiReader(bytes.NewReader(m.Content), m.Rest())
	}
	return m.Content, err == nil && !m.Long
}

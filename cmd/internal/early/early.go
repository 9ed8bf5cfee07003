// Package early passes a message on with a daemon's answer, or has the daemon run a
// command about one document, while it is being imported: before packages are initialised
// that only other commands need, which takes longer than the answer. For this it imports
// next to nothing. It leaves everything unusual to the program, which starts as usual.
package early

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/polya-classifier/polya/cmd/internal/location"
	"github.com/polya-classifier/polya/cmd/internal/passing"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/control/client"
	"github.com/polya-classifier/polya/serve/header"
)

const (
	// TempFail is the exit code by which a mail server knows that it should try again:
	// EX_TEMPFAIL of sysexits.h.
	TempFail = 75

	// Trouble is the exit code for something that went wrong.
	Trouble = 3
)

var (
	asked   bool // the daemon was asked about the message
	started bool // reading the message was started
	message *passing.Message
	failed  error

	alone *Brief // nil if there may be a daemon or the command is another
)

func init() {
	database, plain := Plain(os.Args[1:])
	b, brief := ParseBrief(os.Args[1:])
	if !plain && !brief || os.Getenv("POLYA_WAIT") != "" {
		return
	}
	path, err := location.Of(database + b.Database)
	if err != nil {
		return
	}
	daemon := client.Of(path, client.DefaultTimeout)
	if plain {
		b = Brief{Name: "filter", bare: true}
	}
	switch {
	case daemon == nil && b.bare:
		b.Database, alone = path, &b
	case daemon == nil:
	case plain:
		filter(daemon)
	default:
		b.run(path, daemon)
	}
}

// filter passes the message on and ends the process, or returns.
func filter(daemon *client.Client) {
	asked = true
	if _, err := Message(os.Stdin); err != nil {
		return
	}
	write := answered(daemon)
	if write == nil {
		return
	}
	if err := write(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "polya: %v\n", err)
		os.Exit(TempFail)
	}
	os.Exit(0)
}

// answered returns a function that writes the message with the daemon's answer, nil
// without an answer.
func answered(daemon *client.Client) (write func(io.Writer) error) {
	defer func() {
		if recover() != nil {
			write = nil
		}
	}()
	a, err := daemon.Classify(context.Background(), message.Request(""), false)
	if err != nil {
		return nil
	}
	return message.Edited([]header.Field{{Name: backend.ResultField, Value: a.Field()}}, header.Ours)
}

// Plain reports whether arguments are of a filter without flags except the name of the
// database.
func Plain(args []string) (database string, ok bool) {
	switch {
	case len(args) == 1 && args[0] == "filter":
		return "", true
	case len(args) == 3 && args[0] == "--db" && args[1] != "" && args[2] == "filter":
		return args[1], true
	}
	return "", false
}

// Message returns the message on standard input, which may have been read already.
func Message(in io.Reader) (*passing.Message, error) {
	if !started {
		started = true
		message, failed = passing.Read(in, passing.Limit())
	}
	return message, failed
}

// Alone returns a command without flags, one of the commands of Brief or filter, with the
// path of its database, if no daemon is to be asked. ok reports whether it is such a command.
func Alone() (b *Brief, ok bool) { return alone, alone != nil }

// Asked reports whether the daemon was asked in vain.
func Asked() bool { return asked }

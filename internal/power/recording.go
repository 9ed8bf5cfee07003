package power

import "errors"

// These errors say why a program cannot be recorded here.
var (
	// ErrUnsupported is returned where there is no strace.
	ErrUnsupported = errors.New("recording needs strace")

	// ErrNotPermitted is returned if the system does not let a process trace its own child,
	// as in a container without that right.
	ErrNotPermitted = errors.New("strace is not permitted here")
)

// Kind is the kind of an Event.
type Kind uint8

const (
	Write      Kind = iota + 1 // Data was written to File at Offset
	Truncate                   // File got the length Size
	Sync                       // File was synced
	Create                     // File, a new one, got the name Name
	Link                       // File got the name Name too
	Rename                     // File lost the name From and got Name, which another may have had
	Remove                     // File lost the name Name
	SyncFolder                 // the names were synced
	Ack                        // Data was acknowledged, on standard output
)

// Event is a change that the program made. Names are relative to the folder.
type Event struct {
	Kind Kind

	// File is the number of the file, in order of first use. It stays when its name
	// changes.
	File int

	Name, From   string
	Offset, Size int64
	Data         []byte

	// Began is the number of events before a Sync or a SyncFolder was called: these are
	// durable when it has returned, later ones need not be.
	Began int
}

// Recording lists the changes of a program to the files of an initially empty folder.
type Recording struct {
	Events []Event

	// Calls is the number of system calls about files that the program made.
	Calls int
}

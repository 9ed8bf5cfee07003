package gate

import (
	"cmp"
	"time"
)

// Limits keep clients from taking more than their share. Zero selects the default.
type Limits struct {
	Connections int   // at a time, over all sockets of a listener; 2048, so that a thousand idle ones leave room for others
	Message     int64 // bytes of a message, as sent and inflated; 64 MiB is more than mail servers accept

	// Memory is that of the messages in progress, which listeners share. Nil is 256 MiB of their
	// own, or four times Message.
	Memory *Memory
	// HeaderTime is how long a client may take to begin and to send the lines before the
	// message; 10 seconds. All clients send them without a pause.
	HeaderTime time.Duration
	// MessageTime is how long the message may take, and then the client to read the reply;
	// a minute. spamc gives up after 600 seconds, Exim after 120.
	MessageTime time.Duration
	// AnswerTime is how long the classifier may take; 30 seconds.
	AnswerTime time.Duration
}

// Filled returns the limits with defaults for those that are zero.
func (l Limits) Filled() Limits {
	l.Message = cmp.Or(l.Message, 64<<20)
	return Limits{
		Connections: cmp.Or(l.Connections, 2048),
		Message:     l.Message,
		Memory:      cmp.Or(l.Memory, NewMemory(max(256<<20, 4*l.Message), l.Message)),
		HeaderTime:  cmp.Or(l.HeaderTime, 10*time.Second),
		MessageTime: cmp.Or(l.MessageTime, time.Minute),
		AnswerTime:  cmp.Or(l.AnswerTime, 30*time.Second),
	}
}

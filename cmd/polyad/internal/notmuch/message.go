package notmuch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A message is a message as notmuch prints it.
type message struct {
	ID    string
	Files []string // copies of it
	Tags  []string
}

// parse calls f for each message in the output of notmuch show --format=json: nested
// threads, in which every object is a message. It reads token by token, since strangers can
// make threads long and deep, and otherwise memory and time would grow with the square.
func parse(r io.Reader, f func(message)) error {
	dec := json.NewDecoder(r)
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("output of notmuch show: %w", err)
		}
		if t != json.Delim('{') {
			continue
		}
		m, err := parseMessage(dec)
		if err != nil {
			return fmt.Errorf("output of notmuch show: %w", err)
		}
		if m.named() {
			f(m)
		}
	}
}

// parseMessage reads an object after its brace.
func parseMessage(dec *json.Decoder) (m message, err error) {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return m, err
		}
		switch key {
		case "id":
			err = dec.Decode(&m.ID)
		case "filename":
			err = dec.Decode((*fileNames)(&m.Files))
		case "tags":
			err = dec.Decode(&m.Tags)
		default:
			var ignored json.RawMessage
			err = dec.Decode(&ignored)
		}
		if err != nil {
			return m, err
		}
	}
	_, err = dec.Token()
	return m, err
}

// named reports whether a query can name the message: its id must be one line.
func (m *message) named() bool {
	return m.ID != "" && !strings.ContainsAny(m.ID, "\n\x00")
}

// fileNames is a list; in versions of notmuch before 0.24 it is one name.
type fileNames []string

func (f *fileNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*f = fileNames{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(f))
}

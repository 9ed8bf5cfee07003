package sample

import (
	"bytes"
	"context"
	"net/mail"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
)

// dates returns the dates of the documents at path, by their paths: what the source
// says, or else the Date of a message. Documents without one are not in the map. What
// cannot be read is passed over: whoever reads the documents says so.
func dates(ctx context.Context, path string, folders bool, o corpus.Options) (map[string]time.Time, error) {
	found := map[string]time.Time{}
	add := func(d *corpus.Document) error {
		if at := date(d); !at.IsZero() {
			found[d.Path] = at
		}
		return nil
	}
	if folders {
		_ = corpus.Folders(ctx, path, o, add)
	} else {
		_ = corpus.Walk(ctx, path, o, add)
	}
	return found, ctx.Err()
}

func date(d *corpus.Document) time.Time {
	if !d.Time.IsZero() || d.Format != corpus.Mail {
		return d.Time
	}
	m, err := mail.ReadMessage(bytes.NewReader(d.Content))
	if err != nil {
		return time.Time{}
	}
	at, err := m.Header.Date()
	if err != nil {
		return time.Time{}
	}
	return at
}

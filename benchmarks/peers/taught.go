//go:build linux

package peers

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Taught is bogofilter that has learned, for other measures to ask. nil is one that is not
// installed.
type Taught struct {
	peer    *peer
	session *session
	end     func()
}

// Bogofilter has bogofilter learn the documents of the classes ham and spam. It returns nil if it is
// not installed.
func Bogofilter(ctx context.Context, docs []harness.Document) *Taught {
	t := &Taught{peer: bogofilter()}
	if t.peer.missing() != "" {
		return nil
	}
	t.session, t.end = newSession(ctx, "", time.Hour)
	t.peer.train(t.session, t.written("learned", docs))
	return t
}

// Ask returns its verdicts on messages, none if t is nil.
func (t *Taught) Ask(messages [][]byte) []harness.Verdict {
	if t == nil {
		return nil
	}
	docs := make([]harness.Document, len(messages))
	for i, raw := range messages {
		docs[i].Raw = raw
	}
	return t.peer.classify(t.session, t.written("asked", docs))
}

// Close removes what it has learned.
func (t *Taught) Close() {
	if t != nil {
		t.end()
	}
}

// written writes documents to files by their numbers.
func (t *Taught) written(folder string, docs []harness.Document) (written []harness.Document) {
	for i, d := range docs {
		d.Path = filepath.Join(t.session.home, folder, strconv.Itoa(i))
		harness.Write(d.Path, string(d.Raw))
		written = append(written, d)
	}
	return written
}

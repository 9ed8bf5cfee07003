//go:build linux

package peers

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Taught is a filter of the table that has learned, for other measures to ask. nil is one
// that is not installed.
type Taught struct {
	filter  *filter
	session *session
	end     func()
}

// Teach has the filter of that name learn the documents of the classes ham and spam. It
// returns nil if the filter is not installed.
func Teach(ctx context.Context, name string, docs []harness.Document) *Taught {
	for i := range filters {
		f := &filters[i]
		if _, err := exec.LookPath(f.program); f.name != name || err != nil {
			continue
		}
		t := &Taught{filter: f}
		t.session, t.end = newSession(ctx, "", time.Hour)
		f.peer().train(t.session, t.written("learned", docs))
		return t
	}
	return nil
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
	return t.filter.run(t.session, "", t.written("asked", docs))
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

package bulk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// applyBytes is the approximate size of the changes applied at once: each time rewrites the
// file.
const applyBytes = 128 << 20

// ErrNothing is the error of Make if no document was learned. Then no database is made.
var ErrNothing = errors.New("no documents were learned, and no database was made")

// Made is a database that was made.
type Made struct {
	store.Applied
	Summary string   // documents learned, contents, and a note if they are too few
	Repeats string   // a note on ids that name several documents, "" for none
	Errors  []string // documents that were not learned as intended
}

// Make makes the database at path from shards. The file appears only when it is complete and
// on disk. An existing file is not replaced: the error wraps fs.ErrExist. Make stops at the
// first error from shards. If fits is set it also fits the models.
func (t *Training) Make(ctx context.Context, path string, shards iter.Seq2[*Shard, error], fits bool) (*Made, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	// A hidden folder beside it is on the same disk, and no training reads it as a document.
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	whole := filepath.Join(dir, filepath.Base(path))
	made, err := t.build(ctx, whole, shards, fits)
	if err != nil {
		return nil, err
	}
	if err := os.Link(whole, path); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrExist)
	} else if err != nil { // a disk without links
		if err := os.Rename(whole, path); err != nil {
			return nil, err
		}
	}
	outfile.SyncFolder(filepath.Dir(path))
	return made, nil
}

// build makes the database at a temporary path.
func (t *Training) build(ctx context.Context, path string, shards iter.Seq2[*Shard, error], fits bool) (made *Made, err error) {
	c, err := classify.Open(path, t.options())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var all []*Shard
	var batch classify.Batch
	made = new(Made)
	apply := func() error {
		a, err := c.Apply(ctx, &batch)
		batch.Reset()
		made.Learned += a.Learned
		made.Moved += a.Moved
		made.Already += a.Already
		made.Conflicts = append(made.Conflicts, a.Conflicts...)
		return err
	}
	for s, err := range shards {
		if err != nil {
			return nil, err
		}
		var d store.Delta
		if err := d.UnmarshalBinary(s.Delta); err != nil {
			return nil, err
		}
		if d.Len() != s.Documents {
			return nil, fmt.Errorf("a shard of %d documents says that it has %d", d.Len(), s.Documents)
		}
		s.Delta = nil
		all = append(all, s)
		batch.Delta().Merge(&d)
		if batch.Delta().Size() >= applyBytes {
			if err := apply(); err != nil {
				return nil, err
			}
		}
	}
	if err := apply(); err != nil {
		return nil, err
	}
	for _, id := range made.Conflicts {
		for _, s := range all {
			if p, ok := s.Paths[id]; ok {
				made.Errors = append(made.Errors, learning.Stays(p).Error())
			}
		}
	}
	if made.Learned == 0 {
		return nil, ErrNothing
	}
	if fits {
		quiet := &terminal.Streams{Stdout: os.Stdout, Stderr: os.Stderr, Quiet: true}
		if err := learning.Refit(ctx, quiet, c); err != nil {
			return nil, err
		}
	}
	made.Summary = statistics.Numbers(made.Applied) + "; " + statistics.Now(c.Store(), nil)
	if few := statistics.TooFew(c.Store()); few != "" {
		made.Summary += "\n" + few
	}
	if c.Store().Ledger() != count.LedgerNone { // without a ledger every document is learned
		made.Repeats = repeats(all)
	}
	return made, nil
}

package store

import (
	"context"
	"io"
	"math"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// Backup writes a copy of the database, as of one moment, to w and returns the
// number of bytes. Training goes on meanwhile. The copy is a database. If ctx ends, what
// was written is none.
func (db *DB) Backup(ctx context.Context, w io.Writer) (n int64, err error) {
	err = db.View(func(s *Snapshot) error {
		n, err = s.tx.WriteTo(untilDone{ctx, w})
		return db.fail(fault.Advise(err))
	})
	return n, err
}

// untilDone writes until a context ends.
type untilDone struct {
	ctx context.Context
	io.Writer
}

func (u untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Writer.Write(b)
}

// ReadFrom leaves it to the writer how a file is copied: the system copies one to another.
func (u untilDone) ReadFrom(r io.Reader) (n int64, err error) {
	const part = 1 << 18
	from, limited := r.(*io.LimitedReader)
	if !limited {
		from = &io.LimitedReader{R: r, N: math.MaxInt64}
	}
	for err == nil && from.N > 0 {
		if err = u.ctx.Err(); err != nil {
			break
		}
		var copied int64
		copied, err = io.CopyN(u.Writer, from.R, min(part, from.N))
		from.N -= copied
		n += copied
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

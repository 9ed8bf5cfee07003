package store

import (
	"context"
	"io"
)

// Dump stub.
func (db *DB) Dump(ctx context.Context, w io.Writer, ledger bool) error { return nil }

// Load stub: adds the counts of a dump.
func (db *DB) Load(ctx context.Context, r io.Reader) (Applied, error) { return Applied{}, nil }

// MergeFrom stub: adds the counts of another database.
func (db *DB) MergeFrom(ctx context.Context, other *DB) (Applied, error) { return Applied{}, nil }

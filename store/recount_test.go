package store

import (
	"context"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// A ledger that keeps every document has no other counts than the tables.
func TestRecount(t *testing.T) {
	t.Parallel()
	for what, counts := range map[string]map[string]int{
		"another term":  {"x": 1, "b": 2},
		"other numbers": {"a": 2, "b": 1},
		"fewer":         {"a": 1, "b": 1},
		"":              {"a": 1, "b": 2},
	} {
		db, err := Open(tempDB(t), Options{})
		must(t, err)
		defer db.Close()
		add(t, db, document(1, "ham", map[string]int{"a": 1, "b": 2}), document(2, "spam", map[string]int{"a": 3}))
		must(t, db.Compact(context.Background()))
		err = db.admin(func() error {
			return db.update(func(tx layout.Tx) (*memory, error) {
				rec, err := tx.Record(1)
				if err != nil {
					return nil, err
				}
				doc := document(1, "ham", counts)
				b, err := encoded.Encode(&doc)
				if err != nil {
					return nil, err
				}
				rec.Doc = *b
				return nil, tx.PutRecord(&rec)
			})
		})
		must(t, err)
		_, err = db.Check(context.Background(), nil)
		if (err == nil) != (what == "") || err != nil && !strings.Contains(err.Error(), "ledger") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

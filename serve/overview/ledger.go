package overview

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A LedgerQuery chooses entries.
type LedgerQuery struct {
	classify.Query
	Skip, Limit int // of the newest first

	// Suspect chooses documents whose class is probably wrong, the likeliest first, in place of the Query.
	Suspect bool
}

// A LedgerList is the result of a LedgerQuery.
type LedgerList struct {
	Entries []backend.Entry
	All     int            // without Skip and Limit
	Sources map[string]int // of the whole ledger: documents

	Suspects int // documents whose class is probably wrong
}

// Undone is what would be taken back.
type Undone struct {
	classify.Undone
	Selection string // the same as long as the query selects the same documents
}

func entry(e *store.Entry) backend.Entry {
	return backend.Entry{ID: e.ID.String(), Class: stated(e.Class), Time: e.Time.UTC(), Source: e.Source}
}

// stated returns the name of a class, or of a set of tags as backend.ClassOf states it.
func stated(class string) string {
	if list := count.Tags(class); list != nil {
		return backend.ClassOf(list)
	}
	return class
}

// compare puts the newest entries first.
func compare(a, b backend.Entry) int {
	return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
}

// Undoing returns what Undo would take back.
func (d *Admin) Undoing(ctx context.Context, user string, q classify.Query) (would Undone, err error) {
	err = d.view(ctx, user, func(s *store.Snapshot) error {
		ids, u, err := q.Find(ctx, s)
		all := sha256.New()
		for i := range ids {
			all.Write(ids[i][:])
		}
		would = Undone{u, hex.EncodeToString(all.Sum(nil))}
		would.Classes = make(map[string]int)
		for class, n := range u.Classes {
			would.Classes[stated(class)] = n
		}
		return err
	})
	return would, err
}

// suspects returns the documents whose class is probably wrong, the likeliest first.
func (d *Admin) suspects(ctx context.Context, user string) (list []backend.Entry, err error) {
	err = d.read(ctx, user, func(c *classify.Classifier) error {
		found, err := c.Suspects()
		if err != nil {
			return err
		}
		return c.Store().View(func(s *store.Snapshot) error {
			names := make(map[count.ClassID]string)
			for _, class := range s.Classes() {
				names[class.ID] = class.Name
			}
			for _, x := range found {
				e, err := s.Entry(x.ID)
				if err != nil {
					return err
				}
				if e != nil && names[x.Likely] != "" {
					one := entry(e)
					one.Wrong, one.Likely = x.Wrong, names[x.Likely]
					list = append(list, one)
				}
			}
			return ctx.Err()
		})
	})
	return list, err
}

// Ledger returns what was learned, the newest first, or the suspects.
func (d *Admin) Ledger(ctx context.Context, user string, q LedgerQuery) (LedgerList, error) {
	list := LedgerList{Sources: map[string]int{}}
	suspects, err := d.suspects(ctx, user)
	if err != nil {
		return list, err
	}
	list.Suspects = len(suspects)
	newest := numeric.Shortlist[backend.Entry]{Limit: q.Skip + q.Limit, Compare: compare}
	err = d.view(ctx, user, func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			list.Sources[e.Source]++
			if !q.Selects(e) {
				return ctx.Err()
			}
			list.All++
			newest.Add(entry(e))
			return ctx.Err()
		})
	})
	if q.Suspect {
		list.All, suspects = len(suspects), suspects[min(q.Skip, len(suspects)):]
		list.Entries = suspects[:min(q.Limit, len(suspects))]
		return list, err
	}
	list.Entries = newest.First()
	list.Entries = list.Entries[min(q.Skip, len(list.Entries)):]
	return list, err
}

// Learned returns the ledger's entry for the message of each decision, nil if it was not
// learned, from the database of the user who was answered.
func (d *Admin) Learned(ctx context.Context, user string, list []backend.Decision) ([]*backend.Entry, error) {
	found := make([]*backend.Entry, len(list))
	rows := make(map[string][]int)
	for i, x := range list {
		owner := cmp.Or(user, x.User)
		rows[owner] = append(rows[owner], i)
	}
	for owner, rows := range rows {
		look := func(s *store.Snapshot) error {
			for _, i := range rows {
				id, err := count.ParseDocID(list[i].ID)
				if err != nil {
					continue
				}
				e, err := s.Entry(id)
				if err != nil {
					return err
				}
				if e != nil {
					this := entry(e)
					found[i] = &this
				}
			}
			return ctx.Err()
		}
		err := d.view(ctx, owner, look)
		if errors.Is(err, backend.ErrUser) {
			err = d.view(ctx, "", look) // the shared database answers for him
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

package watching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store/count"
)

// list finds new and missing messages. The inbox comes last, so that a message moved out of it
// or back has been seen in the other folder.
func (r *round) list(ctx context.Context) error {
	folders, err := r.folders(ctx)
	if err != nil {
		return err
	}
	var renamed []*message
	listed := make([][]Copy, len(folders))
	for i, f := range folders {
		listed[i], err = r.Box.List(ctx, f.Name)
		if errors.Is(err, ErrFolder) && !f.Inbox {
			if f.Class != "" {
				r.say(f.Name, err)
			}
			for _, id := range r.memory.copies[f.Name] { // as it was
				r.present[lying{f.Name, id}]++
			}
			continue
		}
		if err == nil {
			renamed, err = r.compare(ctx, f, listed[i], renamed)
		}
		if err == nil && !f.Inbox && !r.Dry { // whoever put messages there has sorted them
			err = r.Box.Unsuggest(ctx, f.Name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", Shown(f.Name), err)
		}
	}
	r.rename(renamed)
	if err := r.memory.save(r.listed); err != nil { // before a message may come back under the same key
		return err
	}
	for _, inbox := range []bool{false, true} {
		for i, f := range folders {
			for _, c := range listed[i] {
				if f.Inbox && r.OldAge > 0 && !c.Delivered.IsZero() && r.now().Sub(c.Delivered) > r.OldAge {
					c.Read = true
				}
				if id, known := r.memory.copies[f.Name][c.Key]; f.Inbox == inbox && (!known || r.due(f, c, id)) {
					r.tasks = append(r.tasks, task{f, c, known && id != unread, !r.handled[f.Name]})
				}
			}
		}
	}
	return nil
}

// folders returns the folders to list: those that there are, and those in which messages were
// known. It reports rules whose folders are missing.
func (r *round) folders(ctx context.Context) (list []*filing.Folder, err error) {
	names, err := r.Box.Folders(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Rules {
		if !slices.Contains(names, f.Name) {
			r.say(f.Name, errMissing)
			r.lost = true
		} else if slices.Contains(r.said[f.Name], gist(errMissing)) {
			delete(r.said, f.Name)
		}
		list = append(list, f)
	}
	for _, name := range slices.Concat(names, slices.Sorted(maps.Keys(r.memory.copies))) {
		if !slices.ContainsFunc(list, func(f *filing.Folder) bool { return f.Name == name }) {
			list = append(list, cmp.Or(r.Rules.Named(name), &filing.Folder{Name: name}))
		}
	}
	return list, nil
}

// compare compares a folder with its last listing, and adds to renamed what may have another key.
func (r *round) compare(ctx context.Context, f *filing.Folder, listed []Copy, renamed []*message) ([]*message, error) {
	known := r.memory.copies[f.Name]
	there := make(map[string]bool, len(listed))
	for _, c := range listed {
		there[c.Key] = true
		if id, is := known[c.Key]; is {
			r.present[lying{f.Name, id}]++
		}
	}
	gone := map[count.DocID]int{}
	for key, id := range known {
		r.handled[f.Name] = r.handled[f.Name] || id != unread
		if !there[key] {
			r.listed.gone = append(r.listed.gone, place{f.Name, key})
			gone[id]++
		}
	}
	for _, c := range listed {
		if _, is := known[c.Key]; is || len(gone) == 0 {
			continue
		}
		m, err := r.read(ctx, task{folder: f, Copy: c}, r.listed)
		if err != nil {
			return nil, err
		}
		again := m != nil && !c.Read && r.memory.records[m.id].Precedes(nanoseconds(c.Delivered))
		if m != nil && gone[m.id] > 0 && !again {
			gone[m.id]--
			m.raw = nil
			renamed = append(renamed, m)
		}
	}
	return renamed, nil
}

// rename records which messages have a new key: first messages that are in their last place,
// then other copies of these. Somebody has put the remaining ones there again.
func (r *round) rename(renamed []*message) {
	for _, last := range []bool{true, false} {
		for _, m := range renamed {
			put := r.memory.records[m.id].Folder
			if (put == m.folder.Name) == last && (last || r.present[lying{put, m.id}] > 0) {
				r.listed.arrived[m.place()] = m.id
				r.present[lying{m.folder.Name, m.id}]++
			}
		}
	}
}

// due reports whether a known copy needs action: an action was interrupted, it was read, its
// folder has got a class, or it is the only copy left.
func (r *round) due(f *filing.Folder, c Copy, id count.DocID) bool {
	if id == unread {
		return f.Class != ""
	}
	known := r.memory.records[id]
	if known.Folder != f.Name {
		return known.Folder != "" && r.present[lying{known.Folder, id}] == 0
	}
	return known.Stage == filing.Learning || known.Stage == filing.Waiting && (c.Read || !f.Inbox) && f.Class != ""
}

// A change of the memory.
type change struct {
	records map[count.DocID]filing.Record
	arrived map[place]count.DocID
	gone    []place
}

func newChange() *change {
	return &change{records: map[count.DocID]filing.Record{}, arrived: map[place]count.DocID{}}
}

// A place is the place of a message: a folder, and its key there.
type place struct{ folder, key string }

func (p place) bytes() []byte { return append(append([]byte(p.folder), 0), p.key...) }

package pages

import "io"

// Access is the intended use of a file, which decides what must be checked.
type Access struct {
	// Later are the buckets whose leaves are checked before they are used, by CheckKeys or
	// CheckHeads. A reader checks their branches then, too. All others are read at once.
	Later [][]byte

	// Write is set if the file will be written. bbolt then takes pages from the free list,
	// which must be sound and have no page in use.
	Write bool
}

// Check returns an error unless every page that can be reached is sound. It returns nil
// for a file without a sound meta page.
func Check(f io.ReaderAt) error {
	m := ReadMetas(f).Newest
	if !m.Valid {
		return nil
	}
	w, err := newWalk(f, &m)
	if err != nil {
		return err
	}
	w.leaves = true
	if _, err := w.page(m.Root, nil, nil); err != nil || !m.Listed {
		return err
	}
	_, _, err = w.freeList(m.Free)
	return err
}

// CheckBranches is Check without leaves, except those of the root bucket and the headers
// that a asks for: all pages that can make bbolt loop, a hundredth of the file. m is
// ReadMetas' newest page.
func CheckBranches(f io.ReaderAt, m Meta, a Access) error {
	w, err := newWalk(f, &m)
	if err != nil || !m.Valid {
		return err
	}
	w.access = a
	if _, err := w.page(m.Root, nil, nil); err != nil {
		return err
	}
	if a.Write {
		list, spread, err := w.freeList(m.Free)
		if err == nil {
			err = w.apart(list, m.Free, spread)
		}
		if err != nil {
			return err
		}
		w.markFree(list)
	}
	for _, s := range w.spans {
		for id := s[0] + 1; id <= s[1]; id++ {
			if w.seen[id] {
				return &pageError{s[0], errHeader}
			}
			w.seen[id] = true
		}
	}
	return nil
}

// CheckHeads is CheckBranches, for writing, with the headers of all leaves: bbolt frees a
// page together with the overflow pages in its header.
func CheckHeads(f io.ReaderAt) error {
	m := ReadMetas(f).Newest
	return CheckBranches(f, m, Access{Write: m.Listed})
}

// CheckKeys checks the pages of a bucket, below its root page, on which the keys from low
// to high are, or from low on if high is nil, and the key before low. The file has pages
// pages of size bytes.
func CheckKeys(f io.ReaderAt, size int, pages, root uint64, low, high []byte) error {
	w := walk{image: image{f, int64(pages) * int64(size), uint64(size)}, seen: make([]bool, pages), leaves: true, low: low, high: high}
	_, err := w.page(root, nil, nil)
	return err
}

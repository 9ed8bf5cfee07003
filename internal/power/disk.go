package power

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Disk is the state of a disk during a Recording.
type Disk struct {
	// LosesSyncs and LosesFolderSyncs make a disk that reports a sync of a file, or of
	// the folder, that it has not made.
	LosesSyncs, LosesFolderSyncs bool

	events  []Event
	at      int // events so far
	files   map[int]*file
	names   map[string]int // durable
	waiting []int          // events with names that are pending
}

type file struct {
	durable []byte
	pending []int // events
}

// NewDisk returns an empty disk, before the first event of r.
func NewDisk(r *Recording) *Disk {
	return &Disk{events: r.Events, files: map[int]*file{}, names: map[string]int{}}
}

// check returns an error if the folder has not what the recording says.
func (r *Recording) check(folder string) error {
	d := NewDisk(r)
	for d.Next() != nil {
	}
	left := d.Left(All)
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		data, failed := os.ReadFile(filepath.Join(folder, e.Name()))
		if known, ok := left[e.Name()]; failed != nil || !ok || !bytes.Equal(data, known) {
			return fmt.Errorf("%s was changed by a call that is not recorded", e.Name())
		}
	}
	if err == nil && len(entries) < len(left) {
		err = errors.New("a file was removed by a call that is not recorded")
	}
	return err
}

// Next advances by one event and returns it, or nil after the last.
func (d *Disk) Next() *Event {
	if d.at == len(d.events) {
		return nil
	}
	e := &d.events[d.at]
	switch e.Kind {
	case Write, Truncate:
		f := d.file(e.File)
		f.pending = append(f.pending, d.at)
	case Create, Link, Rename, Remove:
		d.waiting = append(d.waiting, d.at)
	case Sync:
		if !d.LosesSyncs {
			f := d.file(e.File)
			n := covered(f.pending, e.Began)
			for _, i := range f.pending[:n] {
				f.durable = d.events[i].change(f.durable)
			}
			f.pending = slices.Delete(f.pending, 0, n)
		}
	case SyncFolder:
		if !d.LosesFolderSyncs {
			n := covered(d.waiting, e.Began)
			for _, i := range d.waiting[:n] {
				d.events[i].rename(d.names)
			}
			d.waiting = slices.Delete(d.waiting, 0, n)
		}
	}
	d.at++
	return e
}

func (d *Disk) file(number int) *file {
	f := d.files[number]
	if f == nil {
		f = new(file)
		d.files[number] = f
	}
	return f
}

// covered returns how many of the events, in order, have a number below began.
func covered(events []int, began int) int {
	n, _ := slices.BinarySearch(events, began)
	return n
}

// Pending returns how many writes, changes of length and changes of names a loss of power
// can undo now.
func (d *Disk) Pending() int {
	n := len(d.waiting)
	for _, f := range d.files {
		n += len(f.pending)
	}
	return n
}

// Left returns the files, by name, that are on disk if the power fails now and choice
// decides the pending changes.
func (d *Disk) Left(choice Choice) map[string][]byte {
	names := maps.Clone(d.names)
	for _, i := range d.waiting {
		if choice.chance(choice.Names) {
			d.events[i].rename(names)
		}
	}
	contents := make(map[int][]byte)
	for _, number := range slices.Sorted(maps.Values(names)) { // so that equal seeds give equal choices
		if _, done := contents[number]; !done {
			contents[number] = d.content(d.file(number), choice)
		}
	}
	left := make(map[string][]byte, len(names))
	for name, number := range names {
		left[name] = contents[number]
	}
	return left
}

func (d *Disk) content(f *file, choice Choice) []byte {
	data := slices.Clone(f.durable)
	for _, i := range f.pending {
		e := &d.events[i]
		switch {
		case e.Kind == Truncate && choice.chance(choice.Data):
			data = e.change(data)
		case e.Kind == Write:
			data = choice.write(data, e)
		}
	}
	return data
}

// change returns the content of a file after the whole event.
func (e *Event) change(data []byte) []byte {
	if e.Kind == Truncate {
		return resize(data, e.Size)
	}
	if end := e.Offset + int64(len(e.Data)); end > int64(len(data)) {
		data = resize(data, end)
	}
	copy(data[e.Offset:], e.Data)
	return data
}

func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size]
	}
	// Bytes beyond the end may be from before the file was truncated.
	return append(data, make([]byte, size-int64(len(data)))...)
}

func (e *Event) rename(names map[string]int) {
	switch e.Kind {
	case Create, Link:
		names[e.Name] = e.File
	case Rename:
		delete(names, e.From)
		names[e.Name] = e.File
	case Remove:
		delete(names, e.Name)
	}
}

// Choice draws which pending changes are on disk when the power fails.
type Choice struct {
	// Names and Data are the probabilities that a change of names, and that a write or a
	// change of a file's length, is on disk.
	Names, Data float64

	// Torn is the probability that a write on disk is torn: each of its sectors, of Sector
	// bytes, is there with probability ½.
	Torn   float64
	Sector int64

	// Length is the probability that a write that is missing, or missing its end, has still
	// made the file longer, with zeros.
	Length float64

	// Random is needed if a probability is neither 0 nor 1.
	Random *rand.Rand
}

// All is the state after a killed process: the system has all its changes. None is the
// state if the disk has not begun any pending change.
var (
	All  = Choice{Names: 1, Data: 1}
	None = Choice{}
)

// Draw returns a random choice.
func Draw(random *rand.Rand) Choice {
	pick := func(from ...float64) float64 { return from[random.IntN(len(from))] }
	return Choice{
		Names: pick(0, .5, 1), Data: pick(.1, .5, .9), Torn: pick(0, .3, 1), Length: pick(0, .5, 1),
		Sector: int64(pick(512, 4096)), Random: random,
	}
}

func (c Choice) chance(p float64) bool { return p >= 1 || p > 0 && c.Random.Float64() < p }

// write returns the content of a file with the part of a write that is on disk.
func (c Choice) write(data []byte, e *Event) []byte {
	end := e.Offset + int64(len(e.Data))
	switch {
	case !c.chance(c.Data):
	case !c.chance(c.Torn):
		return e.change(data)
	default:
		for from := e.Offset; from < end; {
			to := min(from-from%c.Sector+c.Sector, end)
			if c.chance(.5) {
				sector := Event{Kind: Write, Offset: from, Data: e.Data[from-e.Offset : to-e.Offset]}
				data = sector.change(data)
			}
			from = to
		}
	}
	if int64(len(data)) < end && c.chance(c.Length) {
		data = resize(data, end)
	}
	return data
}

// Put writes the files into a folder, which is made.
func Put(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

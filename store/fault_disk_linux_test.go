package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// simulatedDisk is what a disk holds that loses what it could not write: a sync
// that fails leaves nothing of what was written before it, as Linux forgets such
// pages, and a later one knows nothing of them.
type simulatedDisk struct {
	files  map[string][]byte  // by path, as on the disk
	dirty  map[string][]write // written, not yet synced
	older  []byte             // of the database, until its new name is on the disk
	path   string             // of the database
	fail   int                // which sync fails, from 1
	syncs  int
	failed string // the file whose sync has failed
	seen   func(image []byte)
	memory *os.File
}

type write struct {
	at   int64
	data []byte
}

func newSimulatedDisk(t *testing.T, path string, fail int, seen func([]byte)) *simulatedDisk {
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Skip(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return &simulatedDisk{files: map[string][]byte{path: image}, dirty: map[string][]write{}, path: path, fail: fail, seen: seen, memory: memory}
}

func (d *simulatedDisk) decide(c call) syscall.Errno {
	switch c.name {
	case "pwrite":
		data := make([]byte, c.args[2])
		if _, err := d.memory.ReadAt(data, int64(c.args[1])); err != nil {
			panic(err)
		}
		d.dirty[c.file()] = append(d.dirty[c.file()], write{int64(c.args[3]), data})
	case "rename":
		// Both names are of the same folder; only copies of the database are renamed.
		from := d.pathAt(c.args[1])
		if !filepath.IsAbs(from) {
			from = filepath.Join(filepath.Dir(d.path), from) // beside an open folder
		}
		d.older = d.files[d.path]
		d.files[d.path], d.dirty[d.path] = d.files[from], d.dirty[from]
		delete(d.files, from)
		delete(d.dirty, from)
	case "fdatasync", "fsync":
		return d.sync(c.file())
	}
	return 0
}

func (d *simulatedDisk) pathAt(address uint64) string {
	b := make([]byte, 512)
	n, _ := d.memory.ReadAt(b, int64(address))
	name, _, _ := bytes.Cut(b[:n], []byte{0})
	if filepath.IsAbs(string(name)) {
		return string(name)
	}
	return filepath.Join(filepath.Dir(d.path), string(name)) // in the opened folder
}

// sync shows what there may be after a power failure just before, and then syncs.
func (d *simulatedDisk) sync(path string) syscall.Errno {
	d.syncs++
	if path == filepath.Dir(d.path) {
		d.older = nil
		return 0
	}
	d.show()
	if d.syncs == d.fail {
		d.dirty[path], d.failed = nil, path
		return syscall.EIO
	}
	d.files[path], d.dirty[path] = written(d.files[path], d.dirty[path]), nil
	d.show()
	return 0
}

// show shows the database without, with each and with all of what is not synced.
func (d *simulatedDisk) show() {
	image, dirty := d.files[d.path], d.dirty[d.path]
	d.seen(image)
	if d.older != nil {
		d.seen(d.older)
	}
	d.seen(written(image, dirty))
	for i := range dirty {
		d.seen(written(image, dirty[i:i+1]))
	}
}

func written(image []byte, list []write) []byte {
	image = bytes.Clone(image)
	for _, w := range list {
		if need := int(w.at) + len(w.data); need > len(image) {
			image = append(image, make([]byte, need-len(image))...)
		}
		copy(image[w.at:], w.data)
	}
	return image
}

// When a sync has failed and training goes on, a power failure at any later moment
// takes no document that was acknowledged, on a disk that has lost what the sync was
// to write.
func TestFailedSyncThenPowerFailure(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	tune(t).spare = 1 << 30
	image := faultImage(t, 60)
	acknowledged, images, unknown := 0, 0, 0
	for fail := 1; fail <= 6; fail++ {
		r := newTrial(t, image)
		r.what = fmt.Sprintf("sync %d fails", fail)
		first := r.db
		tried := map[string]bool{}
		var mu sync.Mutex // the kernel, which orders them, is unknown to the race detector
		var learned []int
		var pending []func()
		disk := newSimulatedDisk(t, r.path, fail, func(b []byte) {
			mu.Lock()
			have := slices.Clone(learned)
			mu.Unlock()
			if state := string(b) + fmt.Sprint(have); !tried[state] {
				tried[state] = true
				pending = append(pending, func() { mustHoldAll(r, b, have) })
			}
		})
		var errs []error
		withFaults(t, disk.decide, func() {
			for i := range 5 {
				err := deltaFor(func(d *Delta) { d.Add(attributed(3000+i, "ham")) })(first)
				if err == nil {
					mu.Lock()
					learned = append(learned, i)
					mu.Unlock()
				} else {
					errs = append(errs, err)
				}
			}
		})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), syscall.EIO.Error()) {
			r.Errorf("errors %v", errs)
		}
		if disk.failed != r.path {
			unknown++
		}
		for _, f := range pending {
			f()
		}
		acknowledged, images = acknowledged+len(learned), images+len(pending)
		disk.memory.Close()
		r.db.Close()
	}
	t.Logf("%d states of the disk opened, %d trainings acknowledged after or before a failed sync", images, acknowledged)
	if images < 100 || unknown > 0 {
		t.Errorf("only %d states were tried, and %d of another file", images, unknown)
	}
}

// mustHoldAll opens an image and wants the documents in it, and no half one.
func mustHoldAll(r *trial, image []byte, learned []int) {
	r.Helper()
	path := r.path + ".image"
	if err := os.WriteFile(path, image, 0o600); err != nil {
		r.Fatal(err)
	}
	defer os.Remove(path)
	db, err := Open(path, tuned(r, Options{}))
	if err != nil {
		r.Fatalf("after %d acknowledged trainings: %v", len(learned), err)
	}
	defer db.Close()
	if n := mustCheck(r, db); n.Documents < uint64(60+len(learned)) {
		r.Errorf("%d documents after %d acknowledged trainings", n.Documents, len(learned))
	}
	text := dumpOf(r, db, true)
	for _, i := range learned {
		if id := attributed(3000+i, "").ID; !strings.Contains(text, fmt.Sprintf("\t%x\t", id[:])) {
			r.Errorf("acknowledged document %d is not there", i)
		}
	}
}

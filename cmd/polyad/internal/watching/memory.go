package watching

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A memory is the file of state kept between two looks at a mailbox: the places of messages, and interrupted
// actions. One process holds it at a time, and errors name its path.
type memory struct {
	path    string
	db      *bolt.DB // nil after damage was found: bbolt may hold locks then
	began   int64    // of the first look, in Unix seconds
	whole   bool     // the mailbox was listed completely once
	copies  map[string]map[string]count.DocID
	records map[count.DocID]filing.Record
}

var (
	bucketCopies  = []byte("copies")  // folder, 0, key → id
	bucketRecords = []byte("records") // id → record
	bucketMeta    = []byte("meta")
	keyMailbox    = []byte("mailbox")
	keyBegan      = []byte("began")
	keyWhole      = []byte("whole")
)

// In place of an id: of a message that is not read while its folder has no class, and of one that cannot be.
var (
	unread   = count.DocID{}
	unusable = count.DocID{0: 0xff, 15: 0xff}
)

// memoryTimeout is how long to wait for another process that holds the file.
const memoryTimeout = time.Second

// forgetAfter is how many days a message is remembered after it has left all folders.
const forgetAfter = 400

const day = 24 * time.Hour

// openMemory opens the file of a mailbox, which it makes if it does not exist.
func openMemory(path, mailbox string, dry bool, o bolt.Options) (*memory, error) {
	o.Timeout = memoryTimeout
	opened := path
	if dry { // of a copy, since a watcher may hold the file
		dir, err := os.MkdirTemp("", "polya")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		opened = filepath.Join(dir, "state")
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(opened, text, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	m := &memory{path: path, copies: map[string]map[string]count.DocID{}, records: map[count.DocID]filing.Record{}}
	if err := m.open(opened, &o); err != nil {
		return nil, err
	}
	if err := m.load(mailbox); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *memory) load(mailbox string) error {
	return m.update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{bucketCopies, bucketRecords, bucketMeta} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(bucketMeta)
		of := cmp.Or(string(meta.Get(keyMailbox)), mailbox)
		m.began = time.Now().Unix()
		if b := meta.Get(keyBegan); len(b) == 8 { // later than now if the clock was ahead
			m.began = min(m.began, int64(binary.BigEndian.Uint64(b)))
		}
		if err := cmp.Or(meta.Put(keyMailbox, []byte(mailbox)), meta.Put(keyBegan, binary.BigEndian.AppendUint64(nil, uint64(m.began)))); err != nil {
			return err
		}
		m.whole = meta.Get(keyWhole) != nil
		needed := map[count.DocID]bool{}
		err := tx.Bucket(bucketCopies).ForEach(func(k, v []byte) error {
			folder, key, _ := bytes.Cut(k, []byte{0})
			var id count.DocID
			copy(id[:], v)
			m.put(string(folder), string(key), id)
			needed[id] = true
			return nil
		})
		if err == nil && of != mailbox && (m.whole || len(needed) > 0) { // else the settings had a wrong name, and nothing was found
			err = fmt.Errorf("it is of another mailbox, %s; remove it, and polya learns the folders of this one as they are", of)
		}
		if err != nil {
			return err
		}
		return m.loadRecords(tx.Bucket(bucketRecords), needed)
	})
}

// loadRecords reads the records, and drops those that were not needed for forgetAfter days.
func (m *memory) loadRecords(b *bolt.Bucket, needed map[count.DocID]bool) error {
	today := time.Now().Unix() / int64(day/time.Second)
	write := map[count.DocID][]byte{}
	err := b.ForEach(func(k, v []byte) error {
		var id count.DocID
		copy(id[:], k)
		r, last, err := decodeRecord(v)
		switch {
		case err != nil:
			return err
		case needed[id] && today-last > forgetAfter/10:
			last = today
			write[id] = encodeRecord(r, last)
		case !needed[id] && today-last > forgetAfter:
			write[id] = nil
			return nil
		}
		m.records[id] = r
		return nil
	})
	for id, v := range write {
		if v == nil {
			err = cmp.Or(err, b.Delete(id[:]))
		} else {
			err = cmp.Or(err, b.Put(id[:], v))
		}
	}
	return err
}

func (m *memory) put(folder, key string, id count.DocID) {
	if m.copies[folder] == nil {
		m.copies[folder] = map[string]count.DocID{}
	}
	m.copies[folder][key] = id
}

// save makes a change, and returns when it is on disk.
func (m *memory) save(c *change) error {
	if len(c.records)+len(c.arrived)+len(c.gone) == 0 {
		return nil
	}
	today := time.Now().Unix() / int64(day/time.Second)
	err := m.update(func(tx *bolt.Tx) (err error) {
		copies, records := tx.Bucket(bucketCopies), tx.Bucket(bucketRecords)
		for _, p := range c.gone {
			err = cmp.Or(err, copies.Delete(p.bytes()))
		}
		for p, id := range c.arrived {
			err = cmp.Or(err, copies.Put(p.bytes(), id[:]))
		}
		for id, r := range c.records {
			err = cmp.Or(err, records.Put(id[:], encodeRecord(r, today)))
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range c.gone {
		delete(m.copies[p.folder], p.key)
	}
	for p, id := range c.arrived {
		m.put(p.folder, p.key, id)
	}
	maps.Copy(m.records, c.records)
	return nil
}

// lookedThrough records that the whole mailbox was listed: later messages are new.
func (m *memory) lookedThrough() error {
	if m.whole {
		return nil
	}
	err := m.update(func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyWhole, []byte{1}) })
	m.whole = err == nil
	return err
}

type storedRecord struct {
	filing.Record
	Day int64 // since 1970, on which it was needed last
}

func encodeRecord(r filing.Record, day int64) []byte {
	b, _ := json.Marshal(storedRecord{r, day}) // a struct of strings and numbers is no error
	return b
}

func decodeRecord(b []byte) (r filing.Record, day int64, err error) {
	var s storedRecord
	if json.Unmarshal(b, &s) != nil || s.Stage > filing.Filing {
		return r, 0, errDamaged
	}
	return s.Record, s.Day, nil
}

// errDamaged says that a file of state is damaged.
var errDamaged = errors.New("it is damaged; if you remove it, polya takes its earlier filing for yours")

// open opens the file at path, which it makes if it does not exist, unless another process holds it.
func (m *memory) open(path string, o *bolt.Options) error {
	return m.guard(func() (err error) {
		if m.db, err = bolt.Open(path, 0o600, o); err == nil {
			err = store.CheckPages(path)
		}
		switch {
		case errors.Is(err, berrors.ErrTimeout):
			return errors.New("the mailbox is being watched already")
		case errors.As(err, new(syscall.Errno)):
			return err
		case err != nil:
			return errDamaged
		}
		return nil
	})
}

// update changes the file, and returns when the change is on disk.
func (m *memory) update(change func(*bolt.Tx) error) error {
	return m.guard(func() error { return m.db.Update(change) })
}

// Close closes the file. Closing twice does nothing.
func (m *memory) Close() error {
	if m.db == nil {
		return nil
	}
	return m.db.Close()
}

// guard turns a panic, or a fault while reading the mapping, of a damaged page into an error.
func (m *memory) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			m.db, err = nil, errDamaged
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", m.path, err)
		}
	}()
	return do()
}

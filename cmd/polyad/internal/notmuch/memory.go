package notmuch

import (
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/cmd/polyad/internal/statefile"
)

// memory is a file that stores the tags that polya set, which are needed to recognise
// corrections. Each write is on disk before the next action. The file is locked, so that two
// runs do not do the same work.
type memory struct{ db *statefile.File }

var (
	bucketSet     = []byte("set")     // id of a message → the tags of the configuration that it had after polya tagged it
	bucketPending = []byte("pending") // the same, of a run that has not ended
	bucketMeta    = []byte("meta")
	keySeen       = []byte("seen")   // the revision up to which corrections were looked for
	keyBefore     = []byte("before") // the revision at the start of the pending run
)

// memoryTimeout is how long to wait for another run: notmuch new may be called twice at once.
const memoryTimeout = 10 * time.Second

// openMemory opens the file, which it makes if it does not exist.
func openMemory(path string) (*memory, error) {
	db, err := statefile.Open(path, bolt.Options{Timeout: memoryTimeout}, "another polyad notmuch is at work", bucketSet, bucketPending, bucketMeta)
	if err != nil {
		return nil, err
	}
	return &memory{db}, nil
}

func (m *memory) close() error { return m.db.Close() }

// revision returns a stored revision, or the zero revision.
func (m *memory) revision(key []byte) (r revision, err error) {
	err = m.db.View(func(tx *bolt.Tx) error {
		if data := tx.Bucket(bucketMeta).Get(key); data != nil {
			return json.Unmarshal(data, &r)
		}
		return nil
	})
	return r, err
}

// see stores the revision up to which corrections were searched, and drops the learned
// messages: from then on the ledger has their tags.
func (m *memory) see(r revision, learned []string) error {
	return m.db.Update(func(tx *bolt.Tx) error {
		for _, id := range learned {
			if err := tx.Bucket(bucketSet).Delete([]byte(id)); err != nil {
				return err
			}
		}
		return put(tx, bucketMeta, keySeen, r)
	})
}

// set returns the tags that a message had after polya tagged it, nil if it did not.
func (m *memory) set(id string) (tags []string, err error) {
	err = m.db.View(func(tx *bolt.Tx) error {
		if data := tx.Bucket(bucketSet).Get([]byte(id)); data != nil {
			return json.Unmarshal(data, &tags)
		}
		return nil
	})
	return tags, err
}

// pend stores the tags that are about to be set.
func (m *memory) pend(before revision, tags map[string][]string) error {
	return m.db.Update(func(tx *bolt.Tx) error {
		for id, tags := range tags {
			if err := put(tx, bucketPending, []byte(id), tags); err != nil {
				return err
			}
		}
		return put(tx, bucketMeta, keyBefore, before)
	})
}

// pending returns the tags that an interrupted run was about to set.
func (m *memory) pending() (tags map[string][]string, err error) {
	tags = map[string][]string{}
	err = m.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketPending).ForEach(func(id, data []byte) error {
			var list []string
			err := json.Unmarshal(data, &list)
			tags[string(id)] = list
			return err
		})
	})
	return tags, err
}

// settle ends a run: it stores the tags that were set, and nothing is pending.
func (m *memory) settle(tags map[string][]string) error {
	return m.db.Update(func(tx *bolt.Tx) error {
		for id, tags := range tags {
			if err := put(tx, bucketSet, []byte(id), tags); err != nil {
				return err
			}
		}
		if err := tx.DeleteBucket(bucketPending); err != nil {
			return err
		}
		_, err := tx.CreateBucket(bucketPending)
		return err
	})
}

func put(tx *bolt.Tx, bucket, key []byte, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, data)
}

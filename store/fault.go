package store

import bolt "go.etcd.io/bbolt"

// beginBolt begins a transaction of b. Where bbolt panics in that, because the pages
// of meta data are gone (the file was cut short under us), it keeps the locks with
// which all others begin: these are an error from then on, not to wait for ever.
func (db *DB) beginBolt(b *bolt.DB, writable bool) (tx *bolt.Tx, err error) {
	if db.lost.Load() {
		return nil, &CorruptError{What: "start of the file"}
	}
	returned := false
	defer func() {
		if !returned {
			db.lost.Store(true)
		}
	}()
	tx, err = b.Begin(writable)
	returned = true
	return tx, err
}

// viewBolt runs f in a read-only transaction of b.
func (db *DB) viewBolt(b *bolt.DB, f func(*bolt.Tx) error) error {
	tx, err := db.beginBolt(b, false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}

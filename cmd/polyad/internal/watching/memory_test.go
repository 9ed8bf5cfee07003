package watching

import (
	"encoding/binary"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store/count"
)

// A record is read as it was written, and what is none is refused.
func FuzzRecord(f *testing.F) {
	f.Add([]byte{}, int64(0))
	f.Add(encodeRecord(filing.Record{Folder: "Work", Stage: filing.Filing, Class: "work", Delivered: 1800000000}, 20000), int64(-1))
	f.Add([]byte(`{"Stage":9}`), int64(3))
	f.Fuzz(func(t *testing.T, b []byte, last int64) {
		r, _, err := decodeRecord(b)
		if err != nil {
			return
		}
		got, when, err := decodeRecord(encodeRecord(r, last))
		if got != r || when != last || err != nil {
			t.Errorf("%+v, %d, %v, want %+v, %d", got, when, err, r, last)
		}
	})
}

// What lies nowhere is forgotten after more than a year, and what lies somewhere never.
func TestForgotten(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/state"
	m, err := openMemory(path, "x", false, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().Unix() / int64(day/time.Second)
	ids := []count.DocID{{1}, {2}, {3}}
	c := newChange()
	for _, id := range ids {
		c.records[id] = filing.Record{Folder: "Work"}
	}
	c.arrived[place{"Work", "1"}] = ids[0]
	if err := m.save(c); err != nil {
		t.Fatal(err)
	}
	err = m.update(func(tx *bolt.Tx) error {
		for i, id := range ids {
			age := []int64{forgetAfter + 1, forgetAfter + 1, forgetAfter - 1}[i]
			if err := tx.Bucket(bucketRecords).Put(id[:], encodeRecord(filing.Record{Folder: "Work"}, today-age)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m.Close()
		if m, err = openMemory(path, "x", false, bolt.Options{}); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"Work", "", "Work"} {
			if got := m.records[ids[i]].Folder; got != want {
				t.Errorf("record %d is of %q, want %q", i, got, want)
			}
		}
	}
	m.Close()
}

// A first look by a clock that was ahead does not make all later mail old.
func TestClockWasAhead(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/state"
	m, err := openMemory(path, "x", false, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = m.update(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketMeta).Put(keyBegan, binary.BigEndian.AppendUint64(nil, uint64(time.Now().AddDate(10, 0, 0).Unix())))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m.Close()
		if m, err = openMemory(path, "x", false, bolt.Options{}); err != nil {
			t.Fatal(err)
		}
		if m.began > time.Now().Unix() {
			t.Errorf("it was looked at first at %d", m.began)
		}
	}
	m.Close()
}

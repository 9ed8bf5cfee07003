package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A training that needs more of the file mapped waits for no reader that stays,
// and other readers do not wait for it.
func TestReaderThatStaysDoesNotStopMapping(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the file cannot be replaced while it is read")
	}
	for _, many := range []bool{false, true} {
		t.Run(fmt.Sprintf("many=%t", many), func(t *testing.T) {
			shortTails(t)
			fast(t)
			tune(t).mapRoom = 128 << 10
			tune(t).spare = 1 << 30
			db := open(t, tempDB(t), Options{})
			add(t, db, twin(0, "ham"))
			again, end := stay(t, db)
			i := 1
			for size := int64(0); size < 2<<20; size, _ = db.Size() {
				var d Delta
				for range map[bool]int{false: 1, true: 200}[many] {
					d.Add(twin(i, "ham"))
					i++
				}
				soon(t, "training", func() error {
					a, err := db.Apply(&d)
					if err == nil && a.Learned != len(d.steps) {
						err = fmt.Errorf("%+v of %d documents", a, len(d.steps))
					}
					return err
				})
				soon(t, "reading", func() error {
					return db.View(func(s *Snapshot) error {
						if n := s.Documents(); n != uint64(i) {
							return fmt.Errorf("%d documents of %d", n, i)
						}
						return nil
					})
				})
			}
			again()
			end()
		})
	}
}

// Readers that come and go do not have the file written anew each time it has to
// be mapped anew.
func TestMappingWaitsForShortReaders(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).mapRoom = 128 << 10
	tune(t).readerPatience = time.Minute
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"))
	tune(t).spare = 1 << 30
	first := db.bolt
	stop := make(chan bool)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := db.View(func(s *Snapshot) error { _, err := look(s); return err }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := 1; i < 400; i++ {
		add(t, db, twin(i, "ham"))
	}
	close(stop)
	wg.Wait()
	if size, _ := db.Size(); db.bolt != first || size < 192<<10 {
		t.Errorf("%d bytes, the same file %t", size, db.bolt == first)
	}
}

// The bound given to bbolt is where it would map more, and not before.
func TestMappedSize(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).mapRoom = 128 << 10
	db := open(t, tempDB(t), Options{})
	mapped := func() int64 { return reflect.ValueOf(db.bolt).Elem().FieldByName("datasz").Int() }
	seen := map[int64]bool{}
	for i := range 600 {
		add(t, db, twin(i, fmt.Sprint("class", rand.IntN(9))))
		tx, err := db.bolt.Begin(true)
		if err != nil {
			t.Fatal(err)
		}
		bound := int64(db.mappedSize(db.bolt, tx))
		tx.Rollback()
		if runtime.GOOS != "windows" {
			bound -= int64(db.bolt.AllocSize) - pageSize
		}
		if bound > mapped() || bound < mapped()/2 {
			t.Fatalf("%d bytes are mapped, not %d", mapped(), bound)
		}
		seen[mapped()] = true
	}
	if len(seen) < 2 {
		t.Errorf("mapped were only %v", seen)
	}
}

// Without the means tested here, a reader that stays does stop bbolt: the tests can
// fail.
func TestBoltStops(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bolt")
	b, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tx, err := b.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- b.Update(func(tx *bolt.Tx) error {
			bucket, err := tx.CreateBucket([]byte("x"))
			if err == nil {
				err = bucket.Put([]byte("x"), make([]byte, 1<<20))
			}
			return err
		})
	}()
	select {
	case <-done:
		t.Error("bbolt maps anew under a reader: nothing here was tried")
	case <-time.After(100 * time.Millisecond):
	}
	tx.Rollback()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

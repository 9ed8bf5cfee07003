package store

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// A training that needs more of the file mapped waits for no reader that stays,
// and other readers do not wait for it.
func TestReaderThatStaysDoesNotStopMapping(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the file cannot be replaced while it is read")
	}
	for _, many := range []bool{false, true} {
		t.Run(fmt.Sprintf("many=%t", many), func(t *testing.T) {
			shortTails(t)
			fast(t)
			tune(t).MapSpace = 128 << 10
			tune(t).spare = 1 << 30
			db := open(t, tempDB(t), Options{})
			add(t, db, twin(0, "ham"))
			again, end := stay(t, db)
			i := 1
			for size := int64(0); size < 4*tune(t).MapSpace; size, _ = db.Size() {
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
	tune(t).MapSpace = 128 << 10
	tune(t).ReaderPatience = time.Minute
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"))
	tune(t).spare = 1 << 30
	first := db.file
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
	for i := 1; i < 1000; i++ {
		add(t, db, twin(i, "ham"))
	}
	close(stop)
	wg.Wait()
	if size, _ := db.Size(); db.file != first || size < 160<<10 { // beyond MapSpace
		t.Errorf("%d bytes, the same file %t", size, db.file == first)
	}
}

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// allState is what is kept beside the counts.
func allState(db *DB) (all map[string]string, err error) {
	all = map[string]string{}
	err = db.View(func(s *Snapshot) error {
		return s.tx.Bucket(stored.BucketState).ForEach(func(k, _ []byte) error {
			all[string(k)] = string(s.State(string(k)))
			return nil
		})
	})
	return all, err
}

// Whichever page a disk has left as it was at some earlier time: Check finds it, or
// the state is that which was kept last. Only the page that leads to all buckets can
// be a whole earlier state.
func TestStaleState(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var images [][]byte
	var states []map[string]string
	for i := range 12 {
		db, err := Open(path, tuned(t, Options{}))
		must(t, err)
		values := map[string][]byte{}
		for range 15 {
			key := fmt.Sprintf("key%02d", rng.IntN(40))
			values[key] = bytes.Repeat([]byte{byte('a' + i)}, 1+rng.IntN(600))
			if rng.IntN(5) == 0 {
				values[key] = nil
			}
		}
		must(t, db.PutState(values))
		add(t, db, sample(i, "ham"))
		state, err := allState(db)
		must(t, err)
		must(t, db.Close())
		states, images = append(states, state), append(images, []byte(bytesOf(path)))
	}
	last := len(images) - 1
	final, root := images[last], pages.ReadMetas(bytes.NewReader(images[last])).Newest.Root
	spoiled := filepath.Join(t.TempDir(), "spoiled")
	tried, changed, whole := 0, 0, 0
	for p := uint64(2); p < uint64(len(final)/4096); p++ {
		for i, image := range images[:last] {
			if len(image) < int(p+1)*4096 || bytes.Equal(image[p*4096:(p+1)*4096], final[p*4096:(p+1)*4096]) {
				continue
			}
			tried++
			data := bytes.Clone(final)
			copy(data[p*4096:], image[p*4096:(p+1)*4096])
			must(t, os.WriteFile(spoiled, data, 0o600))
			db, err := Open(spoiled, tuned(t, Options{ReadOnly: true}))
			if err != nil {
				continue // refused
			}
			r, err := db.Check(context.Background(), func(error) {})
			state, unreadable := allState(db)
			must(t, db.Close())
			switch {
			case unreadable != nil || maps.Equal(state, states[last]):
			case err != nil || r.Problems > 0:
				changed++
			case p == root && maps.Equal(state, states[i]):
				whole++
			default:
				t.Errorf("page %d as it was after change %d: check finds nothing, and the state is another", p, i+1)
			}
		}
	}
	t.Logf("%d stale pages tried; %d changed the state, and were found; %d were whole earlier states", tried, changed, whole)
	if changed < 20 {
		t.Errorf("only %d stale pages changed the state", changed)
	}
}

// A digest does not depend on how the state came to be, lasts through copies, and is
// begun where there is none.
func TestStateDigest(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, sample(1, "ham"))
	sums := func() (kept, is uint64) {
		must(t, db.View(func(s *Snapshot) (err error) {
			is = s.tx.SumState(&db.header.Key)
			kept, _, err = layout.StateDigest(s.tx.Bucket(stored.BucketMeta).Get(stored.KeyState))
			return err
		}))
		return kept, is
	}
	x, y := map[string][]byte{"x": []byte("1"), "y": []byte("2")}, map[string][]byte{"y": []byte("2")}
	must(t, db.PutState(x))
	must(t, db.PutState(map[string][]byte{"x": nil, "z": []byte("3")}))
	must(t, db.PutState(map[string][]byte{"z": nil}))
	first, is := sums()
	must(t, db.Compact(t.Context()))
	must(t, db.PutState(map[string][]byte{"y": nil}))
	if kept, _ := sums(); kept != 0 || first != is {
		t.Errorf("digests %x of nothing, %x of what comes to %x", kept, first, is)
	}
	must(t, db.PutState(y))
	if kept, is := sums(); kept != first || is != first {
		t.Errorf("digest %x, want %x", kept, first)
	}
	without := func() {
		must(t, db.admin(func() error {
			return db.update(func(tx layout.Tx) (*memory, error) { return nil, tx.Bucket(stored.BucketMeta).Delete(stored.KeyState) })
		}))
	}
	without()
	mustCheck(t, db)
	must(t, db.PutState(x))
	mustCheck(t, db)
	must(t, db.admin(func() error {
		return db.update(func(tx layout.Tx) (*memory, error) { return nil, tx.Bucket(stored.BucketState).Delete([]byte("x")) })
	}))
	var corrupt *CorruptError
	_, err := db.Check(context.Background(), func(p error) { err := p; errors.As(err, &corrupt) })
	if err != nil || corrupt == nil || corrupt.What != "state" {
		t.Errorf("%v, %v", corrupt, err)
	}
	must(t, db.Close())
	out, err := Repair(context.Background(), db.Path(), tuned(t, Options{}))
	if err != nil || len(out.Lost) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

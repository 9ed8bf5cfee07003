package store

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

var repairTrials = flag.Int("repair.trials", 25, "random damages of each database that a test repairs")

// spoil changes bytes here and there, or whole pages, as failing disks and programs
// do that write what is not theirs.
func spoil(r *rand.Rand, data []byte) (out []byte, what string) {
	data = bytes.Clone(data)
	pages := len(data) / 4096
	page := func(id int) []byte { return data[id*4096 : (id+1)*4096] }
	for range 1 + r.IntN(3) {
		id := r.IntN(pages)
		if r.IntN(4) > 0 {
			id = 2 + r.IntN(pages-2) // both first pages tell where all others are
		}
		switch kind := r.IntN(7); kind {
		case 0:
			clear(page(id))
			what += fmt.Sprintf("zero page %d; ", id)
		case 1:
			at, n := r.IntN(4096), 1+r.IntN(512)
			clear(page(id)[at:min(at+n, 4096)])
			what += fmt.Sprintf("zero %d bytes at %d of page %d; ", n, at, id)
		case 2:
			at, bit := r.IntN(4096), r.IntN(8)
			page(id)[at] ^= 1 << bit
			what += fmt.Sprintf("flip bit %d of byte %d of page %d; ", bit, at, id)
		case 3: // headers and elements are where it hurts
			at, bit := r.IntN(64), r.IntN(8)
			page(id)[at] ^= 1 << bit
			what += fmt.Sprintf("flip bit %d of byte %d of page %d; ", bit, at, id)
		case 4:
			from := r.IntN(pages)
			copy(page(id), page(from))
			what += fmt.Sprintf("page %d over page %d; ", from, id)
		case 5:
			for i := range page(id) {
				page(id)[i] = byte(r.Uint32())
			}
			what += fmt.Sprintf("noise on page %d; ", id)
		case 6:
			if r.IntN(4) == 0 {
				data = data[:len(data)-r.IntN(len(data)/4)]
				return data, what + fmt.Sprintf("cut to %d bytes", len(data))
			}
		}
	}
	return data, what
}

// TestRepairRandom repairs files with any damage, or is told why not: it never
// panics or hangs, what it makes is sound, no document is there that was not learned
// or was forgotten, and none has other counts.
func TestRepairRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).minTail = 24
	prune := func(db *DB) { mustPrune(t, db, everyThird(3, 1)) }
	for i, h := range []*testFile{
		newTestFile(t, count.LedgerFull, 140, nil, nil),
		newTestFile(t, count.LedgerFull, 140, prune, withFour),
		newTestFile(t, count.LedgerDigest, 140, nil, nil),
		newTestFile(t, count.LedgerDigest, 140, prune, withFour),
		newTestFile(t, count.LedgerNone, 140, nil, nil),
	} {
		made, refused, lossless := 0, 0, 0
		for trial := range *repairTrials {
			r := rand.New(rand.NewPCG(uint64(i), uint64(trial)))
			data, what := spoil(r, h.bytes)
			h.write(t, data)
			begin := time.Now()
			out, err := h.repair(t)
			if t.Failed() {
				t.Fatalf("database %d, trial %d, %s: %+v", i, trial, what, out)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Fatalf("database %d, trial %d, %s: it took %v", i, trial, what, took)
			}
			var format *FormatError
			var damaged *CorruptError
			switch {
			case err == nil && out.Damaged == "":
				continue
			case errors.As(err, &damaged):
				t.Errorf("database %d, trial %d, %s: %v", i, trial, what, err)
				continue
			case errors.Is(err, ErrNotRepaired), errors.As(err, &format), errors.Is(err, ErrNotPolya):
				refused++
				continue
			case err != nil:
				t.Errorf("database %d, trial %d, %s: %v", i, trial, what, err)
				continue
			}
			made++
			said := strings.Join(out.Lost, "\n")
			text := h.dumped(t)
			switch {
			case len(out.Lost) == 0:
				lossless++
				mustEqualText(t, withoutBorn(text), withoutBorn(h.dump))
			case strings.Contains(said, "last change"), strings.Contains(said, "forgot"):
				continue
			}
			h.mustBeOfThese(t, text)
			if t.Failed() {
				t.Fatalf("database %d, trial %d, %s: %+v", i, trial, what, out)
			}
		}
		t.Logf("database %d of %d pages: %d repaired, %d of them without a loss, %d refused", i, len(h.bytes)/4096, made, lossless, refused)
		if i < 2 && made < *repairTrials/3 {
			t.Errorf("database %d: only %d of %d are repaired", i, made, *repairTrials)
		}
	}
}

// withoutBorn drops from a dump when rows and digests were made, and the checksum.
func withoutBorn(text string) string {
	text, _, _ = strings.Cut(text, "\nend\t")
	return withoutEpochs(text)
}

// mustBeOfThese wants of each document what there was before.
func (h *testFile) mustBeOfThese(t *testing.T, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Split(line, "\t")
		if f[0] != "document" && f[0] != "digest" {
			continue
		}
		id := mustParse(t, f[1])
		if _, ok := h.docs[id]; !ok {
			t.Errorf("document %s was not learned, or forgotten: %v", id, h.gone[id])
		}
		// The number of its class is another if one before has no documents left.
		if !strings.Contains(h.dump, strings.Join(f[3:], "\t")+"\n") {
			t.Errorf("document %s has other counts", id)
		}
	}
}

func mustParse(t *testing.T, text string) count.DocID {
	t.Helper()
	id, err := count.ParseDocID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

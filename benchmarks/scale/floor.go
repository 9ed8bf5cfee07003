//go:build linux && (amd64 || arm64)

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/benchmarks/zipf"
	"github.com/polya-classifier/polya/tokenize"
)

// floor holds lower bounds of the times: reading one cache line per term from a mapped
// file as large as the database, the tokenizer alone on the text of the documents, and
// syncing a kilobyte to disk.
type floor struct {
	lineNS     float64
	tokenizeMB float64 // by CPU second
	syncMS     float64 // median
	syncP99    float64
}

func measureFloor(dir string, size int, corpus *zipf.Corpus) (f floor, err error) {
	if f.lineNS, err = cacheLine(filepath.Join(dir, "array"), max(size, 1<<20)); err != nil {
		return f, err
	}
	if f.tokenizeMB, err = tokenizerAlone(corpus); err != nil {
		return f, err
	}
	f.syncMS, f.syncP99, err = syncAlone(filepath.Join(dir, "log"))
	return f, err
}

func cacheLine(path string, size int) (float64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer os.Remove(path)
	defer f.Close()
	// Written, since the pages of a file with a hole would all be one.
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i * 7)
	}
	for at := 0; at < size; at += len(block) {
		if _, err := f.Write(block[:min(len(block), size-at)]); err != nil {
			return 0, err
		}
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return 0, err
	}
	defer syscall.Munmap(data)
	// Ranks of Zipf's law, as the terms have them, at places all over the file.
	random := rand.New(rand.NewPCG(1, uint64(size)))
	lines := uint64(size / 64)
	places := make([]uint32, 1<<17)
	for i := range places {
		rank := uint64(1) << random.IntN(32)
		rank += random.Uint64N(rank)
		places[i] = uint32(rank * 0x9E3779B97F4A7C15 >> 20 % lines)
	}
	return best(func() (int, error) {
		sum := 0
		for _, p := range places {
			sum += int(data[int(p)*64])
		}
		return len(places) + sum&1, nil // or the compiler would remove the reading
	})
}

func tokenizerAlone(corpus *zipf.Corpus) (float64, error) {
	analyzer, err := tokenize.New(tokenize.DefaultSpec)
	if err != nil {
		return 0, err
	}
	var texts [][]byte
	var d zipf.Document
	size := 0
	for i := range questions {
		corpus.Draw(i, &d)
		texts = append(texts, d.AppendText(nil))
		size += len(texts[i])
	}
	var bag tokenize.Bag
	ns, err := best(func() (int, error) {
		for _, text := range texts {
			bag.Reset()
			analyzer.Text(&bag, "", text)
		}
		return size, nil
	})
	return 1e3 / ns, err
}

func syncAlone(path string) (median, p99 float64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, 0, err
	}
	defer os.Remove(path)
	defer f.Close()
	record := make([]byte, 1024)
	var times []time.Duration
	for range 300 {
		t, err := wait(func() error {
			if _, err := f.Write(record); err != nil {
				return err
			}
			return syscall.Fdatasync(int(f.Fd()))
		})
		if err != nil {
			return 0, 0, err
		}
		times = append(times, t)
	}
	return milliseconds(quantile(times, .5)), milliseconds(quantile(times, .99)), nil
}

//go:build linux

package main

import (
	"crypto/md5"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

type message struct {
	class, path string
	raw         []byte
}

// A corpus holds the messages learned and the messages asked about, in a fixed random order.
type corpus struct {
	learned, asked []message
}

// read reads DIR/CLASS/NAME. A message is learned if the MD5 of its name begins with an even byte.
func read(dir string) (*corpus, error) {
	c := &corpus{}
	for _, class := range []string{"ham", "spam"} {
		paths, err := filepath.Glob(filepath.Join(dir, class, "*"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			half := &c.asked
			if md5.Sum([]byte(filepath.Base(path)))[0]%2 == 0 {
				half = &c.learned
			}
			*half = append(*half, message{class, path, raw})
		}
	}
	if len(c.learned) < 2 || len(c.asked) < 2 {
		return nil, errors.New(dir + ": a corpus is a folder with the folders ham and spam, a message a file")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, half := range [][]message{c.learned, c.asked} {
		r.Shuffle(len(half), func(i, j int) { half[i], half[j] = half[j], half[i] })
	}
	return c, nil
}

func (c *corpus) megabytes() float64 {
	sum := 0
	for _, m := range c.asked {
		sum += len(m.raw)
	}
	return float64(sum) / 1e6
}

// fresh returns a message that differs from all others by the number at its end.
func (c *corpus) fresh(number int) message {
	m := c.asked[number%len(c.asked)]
	m.raw = fmt.Appendf(m.raw[:len(m.raw):len(m.raw)], "\n%d\n", number)
	return m
}

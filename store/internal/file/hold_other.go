//go:build !unix || solaris || aix || android

package file

import (
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// hold opens the file and keeps others from writing it. It lets bbolt lock it, for
// reading, since bbolt then reads only the first two pages. unlock closes it.
func hold(path string, timeout time.Duration) (file *os.File, unlock func(), err error) {
	b, err := bolt.Open(path, 0, &bolt.Options{Timeout: timeout, ReadOnly: true})
	if err != nil {
		return nil, nil, fault.Bolt(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Close()
		return nil, nil, fault.Bolt(err)
	}
	return f, func() { f.Close(); b.Close() }, nil
}

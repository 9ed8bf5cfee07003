//go:build !linux

package file

import (
	"os"

	bolt "go.etcd.io/bbolt"
)

func readAhead(*os.File, int64) {}

func (f *File) readAround() {}

// Forget does nothing here.
func Forget(*bolt.Tx) {}

//go:build !linux

package file

import "os"

func readAhead(*os.File) {}

func (f *File) readAround() {}

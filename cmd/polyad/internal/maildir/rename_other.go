//go:build !linux

package maildir

const noFollow = 0

func rename(from, to string) error { return renameUnique(from, to) }

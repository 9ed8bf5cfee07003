//go:build !linux

package maildir

func rename(from, to string) error { return renameUnique(from, to) }

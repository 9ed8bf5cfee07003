//go:build !unix

package main

// checkAsDaemon does nothing where files have no owner that could be taken.
func (*program) checkAsDaemon(string) (done bool, err error) { return false, nil }

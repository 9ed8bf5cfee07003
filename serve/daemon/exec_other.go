//go:build !unix

package daemon

func closeOnExec(int) {}

//go:build !linux

package passing

// Limit is how much of a message is kept in memory, in bytes, and looked at for an answer.
func Limit() int { return maxMessage }

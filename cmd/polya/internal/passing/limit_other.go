//go:build !linux

package passing

// Limit is how much of a message is kept in memory, in bytes. A longer one passes without
// an answer.
func Limit() int { return maxMessage }

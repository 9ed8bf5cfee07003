//go:build !linux

package incoming

// Limit returns how much of a message is kept in memory and classified, in bytes.
func Limit() int { return maxMessage }

// Package power simulates what a loss of power leaves of the files that a program
// writes. Record runs a program under ptrace and writes down, in order, what it asks
// of the disk in one folder, and what it acknowledges. A Disk goes through such a
// Recording; at any moment it knows what is durable, because a call of fsync or
// fdatasync that covers it has returned, and what is pending. A Choice says what of
// the pending is on the disk when the power fails: any of it, in any order, since
// neither the system nor the disk promises one, and of each write any sectors.
//
// The disk does what POSIX allows at worst. What was written to a file is pending until
// that file is synced. The name that a file was given, by making it, a link or a rename,
// or that it has lost, is pending until the folder is synced, whatever is done to the
// file. It keeps what it has promised, the rename of a file is one step, and a sector is
// written whole or not at all.
package power

// Package power simulates what a loss of power leaves of the files that a program writes.
// Record runs a program under strace and records, in order, its changes to the files of
// one folder and its acknowledgements. A Disk replays such a Recording; at any moment it
// knows which changes are durable, because a call of fsync or fdatasync that covers them
// has returned, and which are pending. A Choice decides which pending changes are on disk
// when the power fails: any subset, since neither the system nor the disk promises an
// order, and of each write any sectors.
//
// The disk is the worst that POSIX allows. A write is pending until its file is synced. A
// name that a file gets or loses, by creation, link, rename or removal, is pending until
// the folder is synced, whatever is done to the file. Synced data stays, a rename is
// atomic, and a sector is written whole or not at all.
package power

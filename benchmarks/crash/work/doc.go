// Package work is what is done to a database while it is killed, and knows what must be
// in the file afterwards. A Plan is a workload drawn from a seed: one or several trainers
// learn, move and forget documents of their own, one by one and hundreds at once, merge
// and load other databases, keep positions and state, rename and delete classes, drop
// terms, compact, back up and copy. Run carries it out and acknowledges each step when
// the store has returned. A Model goes through the same steps in memory, without the
// store, and compares a file with them.
//
// A trainer does one step after the other. A file is right if it holds of each trainer
// exactly what its acknowledged steps have left, or those and the next one as a whole.
package work

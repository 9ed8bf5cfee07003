// Package work is the workload on a database while it is killed, and knows the expected
// content of the file afterwards. A Plan is a workload drawn from a seed: one or several
// trainers learn, move and forget documents of their own, one by one and hundreds at
// once, merge and load other databases, keep positions and state, rename and delete
// classes, drop terms, compact, back up and copy. Run carries it out and acknowledges
// each step when the store has returned. A Model goes through the same steps in memory,
// without the store, and compares a file with them.
//
// A trainer does one step after the other. A file is correct if it holds, for each trainer,
// exactly the result of its acknowledged steps, or of these and the whole next one.
package work

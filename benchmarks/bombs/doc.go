// Bombs reads inputs that are made to exhaust their reader, at two lengths by turns, and
// writes a table of the time and memory per byte of each and their growth with the
// length.
//
//	go run ./benchmarks/bombs [--size MB] [--rounds N] [--only TEXT] [--every]
//
// Time is CPU time of the process, the least of the rounds. Memory is the peak of a
// process that reads the longer input once, minus the input and the process's own memory.
package main

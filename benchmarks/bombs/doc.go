// Bombs reads inputs that are made to exhaust their reader, at two lengths by
// turns, and writes a table of what a byte of each costs in time and memory and how
// that grows with the length.
//
//	go run ./benchmarks/bombs [--size MB] [--rounds N] [--only TEXT] [--every]
//
// Time is CPU time of the process, the least of the rounds. Memory is what a process that
// reads the longer input once has at most, beyond the input and what it has anyway.
package main

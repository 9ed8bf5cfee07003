// Package layers measures polya layer by layer, as Go benchmarks:
//
//	go test -run '^$' -bench . -count 10 ./benchmarks/layers | tee new.txt
//	benchstat old.txt new.txt
//
// Texts are the sample mail of the repository, and tables are made of drawn terms, so
// that everything is available and the same everywhere. POLYA_BENCH_TERMS and
// POLYA_BENCH_CLASSES set the size of the large table, 200,000 and 20 by default; the
// issue of speed is asked with 1,000,000.
package layers

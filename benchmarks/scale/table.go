//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"io"
)

// writeTables prints the results as tables in Markdown.
func writeTables(w io.Writer, all []result) {
	fmt.Fprint(w, "| documents | classes | terms | learned a CPU s | MB a CPU s | tokenizer alone, MB a CPU s | file MB | bytes a term | peak memory MB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range all {
		fmt.Fprintf(w, "| %d | %d | %d | %.0f | %.1f | %.1f | %.1f | %.1f | %.0f |\n",
			r.documents, r.classes, r.terms, r.learned, r.learnedMB, r.floor.tokenizeMB, r.fileMB, r.fileMB*1e6/float64(r.terms), r.peakMB)
	}
	fmt.Fprint(w, "\n| documents | classes | open ms | open, cold ms | one learned: CPU ms | wall, median | p99 | longest | fdatasync alone: median | p99 |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range all {
		fmt.Fprintf(w, "| %d | %d | %.2f | %.1f | %.2f | %.2f | %.1f | %.1f | %.2f | %.1f |\n",
			r.documents, r.classes, r.openMS, r.openColdMS, r.singleCPU, r.singleMS, r.singleP99, r.singleMax, r.floor.syncMS, r.floor.syncP99)
	}
	fmt.Fprint(w, "\n| documents | classes | look-up ns a term | cache line ns | cold, µs a term | read MB | multinomial ns a term | auto ns a term |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range all {
		fmt.Fprintf(w, "| %d | %d | %.0f | %.0f | %.1f | %.1f | %.0f | %.0f |\n",
			r.documents, r.classes, r.warmNS, r.floor.lineNS, r.coldNS/1e3, r.coldMB, r.multinomialNS, r.autoNS)
	}
}

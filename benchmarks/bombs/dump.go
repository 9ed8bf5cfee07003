package main

// dumpHead is the beginning of the dump of a database without an analyzer.
const dumpHead = "polya-dump\t1\nanalyzer\t\nvocabulary\t0\n"

// dumpBombs are dumps of databases.
var dumpBombs = []bomb{
	repeated("one line", "", "a", ""),
	repeated("one line of tabs", "", "\t", ""),
	repeated("one class", dumpHead+"class\t", "a", "\t1\t1\t1\n"),
	repeated("one escaped class", dumpHead+"class\t", `\x00`, "\t1\t1\t1\n"),
	repeated("cells of a class", dumpHead+"class\ta", "\t1", "\n"),
	counted("classes", dumpHead, "class\ta%010d\t%d\t1\t1\n", ""),
	counted("lengths", dumpHead+"class\ta\t1\t1\t1\nlengths", "\t%d:%d", "\n"),
	repeated("one term", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\nterm\t", "a", "\t0:1:1:1\n"),
	repeated("cells of a term", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\nterm\ta", "\t0:1", "\n"),
	repeated("histogram of a term", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\nterm\ta\t0:1", ":1", "\n"),
	counted("terms", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\n", "term\ta%010d\t0:%d\n", ""),
	repeated("numbers of many digits", dumpHead+"class\ta\t", "1", "\t1\t1\n"),
	repeated("empty lines", dumpHead, "\n", ""),
}

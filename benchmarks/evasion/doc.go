// Evasion measures how many spams get past polya when their sender adds words of honest
// mail to them.
//
//	go run ./benchmarks/evasion [--spams N] [--class SPAM] [--text] [--bogofilter PROGRAM] TRAIN TEST
//
// TRAIN and TEST are folders with a folder of documents for each class, as
// benchmarks/accuracy/cut.sh makes them. TRAIN is learned, TEST is asked about. Each
// attack is tried on the same N (256) spams of TEST whose most probable class by polya is
// spam before the attack. The good words are those that discriminate best between the ham
// and the spam of TEST: the attacker knows mail like the victim's, but not the victim's
// training mail. With --text the documents are plain text, and the attacks that need parts
// or a header are left out.
//
// Polya answers twice: as a filter does, and with its most probable class, which the sum of
// all terms decides. The output is a table of Markdown, a row for each attack, with the
// shares of spams that are called spam, unsure and ham, and the quartiles of their scores:
// polya's are log-odds of spam, bogofilter's its spamicity. The first rows are the honest
// mail of TEST.
package main

// Package zipf draws any number of documents whose terms are distributed as in real mail,
// the same on every machine:
//
//   - ranks of terms follow Zipf's law with exponent 1;
//   - the vocabulary that is drawn from grows by Heaps' law, 30 n^0.65 terms after n
//     tokens, up to a bound; half of it has been drawn after 20,000 documents, most
//     after a million;
//   - lengths are log-normal, with a median of 160 tokens and a standard deviation of
//     one octave;
//   - 40 % of the draws beyond the most frequent terms are of terms that one class
//     prefers;
//   - a quarter of the tokens repeat one that the document has already, as bursty
//     words do.
//
// A document depends on the seed and its number alone, so that it can be drawn again to
// be forgotten, and documents can be drawn in any order. All arithmetic is on integers:
// the same seed gives the same documents on every architecture.
package zipf

// Package tokenize turns text into terms, which are what a classifier counts.
//
//	a, err := tokenize.New("")
//	var bag tokenize.Bag
//	a.Text(&bag, "subject", []byte("Cheap watches")) // subject:cheap subject:watches
//	a.Text(&bag, "", []byte("See http://example.com/offer today"))
//	a.HTML(&bag, page)
//
// # Terms
//
// Words are found as Unicode Standard Annex #29 breaks them, normalised to NFKC, folded
// (full case folding) and stripped of invisible characters, so that
// "ＶＩＡＧＲＡ", "via<soft hyphen>gra" and "viagra" are one term. Numbers are terms
// as well. A word of more than 40 letters is taken apart at dots and other punctuation,
// and pieces that are longer still are dropped as line noise.
//
// Text of Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and a few smaller
// scripts becomes single characters and overlapping pairs of characters, because no
// space separates the words there or, in Korean, words seldom recur unchanged.
// A run of Katakana is a word. An emoji is a term.
//
// A term in a field is "field:term". No term without field holds a colon:
// departing from Unicode, a colon ends a word, and so does an underscore, so that
// words_joined_by_it are words. A link gives terms in the fields
// "url" (its host, and the domains that is in) and "path" instead of words. HTML
// gives terms in the field "invisible" (text that is not seen) besides the words that
// are seen, and those of its title, headings and links once more in the fields "Title",
// "Heading" and "Anchor" ([Analyzer.HTML]); in mail they are words only. A saved HTTP response
// has terms of its header too ([Analyzer.Response]). Names of tags are no terms: on mail, models
// do better without them (log loss of documents left out .0242 against .0257).
//
// Any bytes are text. A term is valid UTF-8 and has at most [MaxTermBytes] bytes.
//
// # Spec
//
// What an analyzer does is written in one line, which is kept in the database
// and compared when it is opened, since counts of other terms are of no use:
//
//	spec    = version { " " setting }
//	version = "polya-5" | "polya-4" | "polya-3"
//	setting = "lang=" ("auto" | "none" | code) | "stem=" ("auto" | "on" | "off") |
//	          "stop=" ("on" | "off") | "ngram=" ("1" | "2") | "min=" ("1" … "9") |
//	          "digits=" ("on" | "off") |
//	          "channel=" ("off" | channel { "," channel }) |
//	          "attr=" ("off" | "mail" | name { "," name })
//
//	channel = "triples" | "grams" | "pairs"
//
// Each setting may be given once, in any order; what is left out has the value it
// has in [DefaultSpec]; digits is on, channel and attr are off. [Analyzer.Spec] gives all of them
// in the order above, digits, channel and attr only if they are otherwise. The version changes whenever the same
// text would give other terms; the earlier ones are for databases made with them. For
// polya-4 pages have no fields, a saved response is a text, there are no channels, and digits
// is off. For
// polya-3 moreover the words of a message's subject are no words of its text, and header
// fields may be called like fields of polya's own.
//
//   - lang is the language whose stemmer and stop words are used: an ISO 639-1 code,
//     or auto to choose one for every call, by the stop words in the first 4 KB
//     of its text. A text with fewer than 3 of them, or less than one in 12
//     words, or as many votes for a second language, has none, and is neither
//     stopped nor, by stem=on, stemmed.
//   - stem=on reduces words to stems, in English, French, Spanish, Russian,
//     Swedish, Norwegian, Hungarian, Arabic, Danish, Dutch, Finnish, German, Italian,
//     Portuguese, Romanian, Turkish, Tamil and Irish.
//   - stem=auto stems where it was measured to pay. With lang=code these are
//     Arabic, Finnish, French, German, Italian, Portuguese, Russian, Spanish, Tamil
//     and Turkish. With lang=auto no language is chosen for it: words
//     in Cyrillic are stemmed as Russian, in Arabic letters as Arabic, in Tamil
//     letters as Tamil, words with ı or ğ as Turkish, and no others.
//   - stop=on drops function words.
//   - ngram=2 counts pairs of neighbouring words, as "two words", beside the
//     words themselves.
//   - min is the length in letters of the shortest word counted. It does not
//     apply to scripts whose characters are counted singly.
//   - digits=on counts the length of each run of three ASCII digits or more in a text
//     without field, beside its words: "#11" for a number of eleven, "#20" for twenty and
//     more. The words of links are not looked at.
//   - channel gives terms that are counted apart, each once a document: they begin with the
//     control character 1. Only text without field gives them. With grams these are every
//     four code points of the text normalised and folded as words are, with one blank
//     for each run of white space and control characters and one at both ends. With
//     triples they are every three characters of a run of a script whose characters are
//     counted singly, as "\x01東京都", with pairs two neighbouring words, behind two of that
//     character, as "\x01\x01two words". A document has at most [MaxChannel] of them,
//     grams of the first and the last 8 KiB of a text, and the term "limit:channel" if
//     something was left out.
//   - attr says which attributes a document of mail has beside its terms: sender,
//     domain, list, to, size, hour, weekday, recipients, attachments; mail is all
//     of them. Package mail says what they are. It changes no terms.
//
// So a text of one language in Latin letters is best given its lang: measured on
// single sentences of seven such languages with 640 to learn from, it brings 1 to 10
// points of accuracy, most in Turkish (10) and Finnish (7). English gains as
// much while there is little to learn from, and loses half a point on some
// thousands of whole documents, so it is stemmed by stem=on only. With lang=auto,
// stem=on is for texts of several sentences: half of the single sentences in
// Russian, Turkish or Finnish are not recognised, and so give other terms than
// the other half.
//
// # Where terms come from
//
// A [Trace] has each counted occurrence with the bytes that it was made of: the same
// scanner writes it that counts, so that a text can be shown with what its terms weigh.
//
// # Cost
//
// Measured on one core: English text that is not stemmed is lower-cased and
// counted with nothing looked up, at 160 MB a second. Stemmed, it takes 60 MB a
// second, and 40 where the language is chosen. Text of other scripts and with accents
// goes through a bounded cache of surface forms, at 13 (Thai) to 100 MB (German) a
// second, and half of that while the cache is empty, or less where words are
// stemmed: 6 MB a second of Russian. Nothing is allocated per token once buffers
// and cache have grown.
package tokenize

// Package tokenize turns text into terms, which a classifier counts.
//
//	a, err := tokenize.New("")
//	var bag tokenize.Bag
//	a.Text(&bag, "subject", []byte("Cheap watches")) // subject:cheap subject:watches
//	a.Text(&bag, "", []byte("See http://example.com/offer today"))
//	a.HTML(&bag, page)
//
// # Terms
//
// Words are segmented by Unicode Standard Annex #29, normalised to NFKC, folded (full case
// folding) and stripped of invisible characters, so that "ＶＩＡＧＲＡ", "via<soft hyphen>gra" and
// "viagra" are one term. Numbers are terms as well. A word of more than 40 letters is split at
// dots and other punctuation, and pieces that are still longer are dropped as noise.
//
// Text of Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and a few smaller
// scripts becomes single characters and overlapping pairs of characters, because no
// space separates the words there or, in Korean, words seldom recur unchanged.
// A run of Katakana is a word. An emoji is a term.
//
// A word that was written so that readers see another one has the term of that one too, and
// the document a term that says how: disguise:letters (vіаgrа with Cyrillic letters), accents,
// digits (v1agra), apart (v i a g r a), order (shown from right to left). Words of languages
// with such letters or accents have none. Of a page, what style sheets, colours and sizes hide
// is in the field "invisible".
//
// A term in a field is "field:term". No term without field contains a colon: departing from
// Unicode, a colon ends a word, and so does an underscore, so that words_joined_by_it are words.
// A link gives terms in the fields "url" (its host, and the host's parent domains) and "path"
// instead of words; disguise:user, address, punycode and target say that it names a user, an IP
// address, a host in Punycode, or one in its query without a scheme. HTML gives the visible words, terms of hidden text in the field "invisible",
// and the words of its title, headings and links once more in the fields "Title", "Heading" and
// "Anchor" ([Analyzer.HTML]); in mail these are only words. Names of tags are not terms.
//
// Any bytes are text. A term is valid UTF-8 and has at most [MaxTermBytes] bytes.
//
// # Spec
//
// One line specifies an analyzer. The database stores it and compares it when it is opened, since
// counts of other terms are useless:
//
//	spec    = version { " " setting }
//	version = "polya-7" | "polya-6"
//	setting = "lang=" ("auto" | "none" | code) | "stem=" ("auto" | "on" | "off") |
//	          "stop=off" | "ngram=" ("1" | "2") | "min=" ("1" … "9") |
//	          "digits=" ("on" | "off") |
//	          "channel=" ("off" | "short" | "grams") |
//	          "attr=" ("off" | "mail" | name { "," name })
//
// Each setting may be given once, in any order. A missing setting has its value in [DefaultSpec];
// digits is on, channel is short (in polya-6 off), attr is off. [Analyzer.Spec] returns all of them
// in the order above, but digits, channel and attr only if they are not so. The version changes
// whenever the same text and settings would give other terms.
//
//   - lang is the language whose stemmer is used: an ISO 639-1 code, or auto to choose one for
//     every word by its letters.
//   - stem=on reduces words to stems if lang is ar, da, de, en, es, fi, fr, ga, hu, it, nl, no, pt,
//     ro, ru, sv, ta or tr; stem=auto where that was measured to help: if lang is ar, de, es, fi, fr,
//     it, pt, ru, ta or tr, and with lang=auto words in Cyrillic as ru, in Arabic letters as ar, in
//     Tamil letters as ta, words with ı or ğ as tr.
//   - stop=off says that no function words are dropped.
//   - ngram=2 counts pairs of neighbouring words, as "two words", beside the
//     words themselves.
//   - min is the length in letters of the shortest word counted. It does not
//     apply to scripts whose characters are counted singly.
//   - digits=on counts the length of each run of three or more ASCII digits in a text without
//     field, beside its words: "#11" for eleven digits, "#20" for twenty or more. Links are
//     ignored.
//   - channel=short gives terms that are counted separately, each once per document, of a text of
//     at most 512 code points that is all of its document (see [Analyzer.Part]); channel=grams of
//     any text. They begin with the control character 1. Only text without field gives them. Grams
//     are every four code points of the text normalised and folded as words are, with one blank for
//     each run of white space and control characters and one at both ends. A document has at most
//     [MaxChannel] of them, only from the first and the last 8 KiB of a text, and the term
//     "limit:channel" if some were dropped.
//   - attr selects the attributes of a mail message, beside its terms: sender, domain, list, to,
//     size, hour, weekday, recipients, attachments; mail is all of them. Package mail defines
//     them. It changes no terms.
//
// A text gives the same terms as a text of its characters spelt out, such as the eighteen
// letters of U+FDFA. Words of more than 60 bytes are made longer by some 64 KiB a document:
// behind that characters that stand for many are left out, and the term "limit:ligatures" says so.
//
// # Cost
//
// Text that is stemmed or not ASCII goes through a bounded cache of surface forms. Nothing is
// allocated per token once buffers and cache have grown.
package tokenize

package tokenize

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// This file reads words whose letters only look like those of ASCII. Such a word keeps its
// own term, and gets that of its second reading and one that says how it was written:
// disguise:letters or disguise:accents.

// lookalikes has after each letter those of other scripts, folded, that look like it: what
// the confusables of UTS #39 (Unicode 13) map to one letter of ASCII, of Cyrillic, Greek,
// Armenian, Cherokee, Lisu, Coptic and Latin, and the small capitals.
const lookalikes = "aɑαаᎪꓮᴀ bƅβвьᏏᏴꓐꞵʙ cсᏟᴄⲥꓚꮯ dԁᎠᏧꓒꓓᴅ eεеҽᎬꓰꬲᴇ fϝքꓝꞙꬵꜰ gƍɡԍցᏀᏳᶃꓖɢ hнһհᎻᏂⲏꓧʜ iɩɪιіᎥꙇꭵ jʝϳјᎫꓙᴊ kκкᏦⲕꓗᴋ " +
	"lǀӏᏞⲓⳑꓡꓲʟ mμϻмᎷⲙꓟᴍ nηոռⲛꓠɴ oσоοօᎾᴏᴑⲟꓳꬽ pρрᏢⲣꓑᴘ qԛգզǫ rʀгᎡᏒᴦⲅꓣꭇꭈꮁ sƽѕտᏕᏚꓢꜱꮪ tτтᎢⲧꓔᴛ uυʋսᴜꓴꞟꭎꭒ vνѵᏙᴠꓦꮩ " +
	"wɯѡωԝաᎳᏔᴡꓪꮃ xχхⲭꓫꭓ yɣʏγуүᎩᎽᶌⲩꓬꭚ zζᏃᴢꓜꮓ"

// alphabets are the letters with marks of languages, or of ways to transcribe one. A word with
// letters of two or more is in no language.
var alphabets = [...]string{
	"àâæçéèêëîïôùûüÿœ", "áéíñóúü", "àáâãçéêíóôõúü", "àçéèíïóòúü", "àéèìíòóùúî", "äáàåæéöøüõšž", "áčďéěíňóřšťúůýž",
	"áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "âçğıîöşüûəñ", "ăâîșțşţ", "čćđšž", "ąčęėįšųūž", "āčēģīķļņšūžōŗ",
	"áéíðóúýþæö", "áéíóúàèìòù", "âêîôûŵŷáéíóúẃýàèìòùẁỳäëïöüẅÿ", "ċġħż", "ĉĝĥĵŝŭ", "āēīōūáéíóúǎěǐǒǔàèìòùǖǘǚǜü",
	"āīūṛṝḷṃḥñṅṇṭḍśṣēōḻṉ", "ẹọṣáàéèíìóòúùǹńḿẽãĩõũị",
	"àáảãạăằắẳẵặâầấẩẫậđèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵ",
}

// exact are those of Cyrillic and Greek whose small letters look like small ones: of words of
// these scripts alone only words of these letters are read as words of ASCII.
const exact = "асеорхуѕіјһԛԝԁӏкаονρυικ"

// isInexact reports whether a letter is another one of these scripts.
func isInexact(r rune) bool {
	return unicode.In(r, unicode.Cyrillic, unicode.Greek) && !strings.ContainsRune(exact, r)
}

// stroked are letters with marks that Unicode does not take apart.
const stroked = "ıiłløođdħhæaœoðdþtəe"

// letterLike says how a letter can be read.
type letterLike struct {
	as       byte
	accented bool
	in       uint32 // the alphabets of an accented letter, a bit each
}

// likeness returns how letters beyond ASCII can be read. It is made on first use.
var likeness = sync.OnceValue(func() map[rune]letterLike {
	all := make(map[rune]letterLike, 512)
	for list := range strings.FieldsSeq(lookalikes) {
		for _, r := range list[1:] {
			all[r] = letterLike{as: list[0]}
		}
	}
	for i, letters := range alphabets {
		for _, r := range letters {
			all[r] = letterLike{norm.NFD.String(string(r))[0], true, all[r].in | 1<<i}
		}
	}
	strokes := []rune(stroked)
	for i := 0; i < len(strokes); i += 2 {
		l := all[strokes[i]]
		l.as = byte(strokes[i+1])
		all[strokes[i]] = l
	}
	return all
})

// like returns how a letter beyond ASCII can be read.
func like(r rune) (l letterLike, ok bool) {
	if l, ok = likeness()[r]; ok {
		return l, true
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(utf8.AppendRune(buf[:0], r)).Decomposition()
	if len(d) > 0 && class[d[0]] == letter {
		return letterLike{d[0], true, 0}, true
	}
	return letterLike{}, false
}

// The least number of letters of a word that is read a second time.
const leastLike = 3

// addSecond adds the second reading of a folded word, if it has one that no language explains.
func (w *worker) addSecond(word []byte) {
	var read [maxRunes]byte
	n, plain, looks, accents, loose := 0, 0, 0, 0, false
	in := ^uint32(0)
	for _, r := range string(word) {
		l, ok := letterLike{as: byte(r)}, r < utf8.RuneSelf && class[byte(r)]&alnum != 0
		switch {
		case ok:
			plain += int(class[byte(r)] & letter)
		case r >= utf8.RuneSelf && unicode.IsMark(r) && n > 0:
			loose = true
			continue
		default:
			if l, ok = like(r); !ok {
				return
			}
			if !l.accented {
				looks++
			} else {
				accents++
				in &= l.in
			}
		}
		if n == len(read) {
			return
		}
		read[n], n = l.as, n+1
	}
	mixed := looks > 0 && (plain+accents > 0 || !inScript(word) || w.context&latinText != 0 && !bytes.ContainsFunc(word, isInexact))
	odd := accents > 1 && in == 0 || accents > 0 && w.context&oddAccents != 0
	if n < leastLike || !mixed && !odd && (!loose || looks > 0) {
		return
	}
	w.addWord(read[:n])
	if mixed {
		w.addTerm([]byte("disguise:letters"))
	} else {
		w.addTerm([]byte("disguise:accents"))
	}
}

// inScript reports whether a word of letters that look like others is of one script that is
// written with them.
func inScript(word []byte) bool {
	scripts := 0
	for _, script := range []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu, unicode.Coptic} {
		if bytes.ContainsFunc(word, func(r rune) bool { return unicode.Is(script, r) }) {
			scripts++
		}
	}
	return scripts == 1
}

// context is what the beginning of the text of a word is like, a bit each.
type context uint8

const (
	latinText  context = 1 << iota // letters of Cyrillic or Greek look like those of ASCII
	oddAccents                     // its accents are of no language
)

const (
	// contextBytes of a text say what its language is like.
	contextBytes = 4 << 10

	// leastLetters is the number of letters that tell.
	leastLetters = 12
)

func contextOf(text []byte) (in context) {
	if len(text) > contextBytes {
		text = text[:max(1, foreignStart(text, contextBytes))]
	}
	foreign, alike, accents, best := 0, 0, 0, 0
	var of [len(alphabets)]int
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i += ascii.Prefix(text[i:])
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		i += n
		if r >= 0x2000 || !unicode.IsLetter(r) && r < 0x1e00 {
			continue
		}
		switch l, ok := like(r); {
		case ok && l.accented:
			accents++
			for k := range of {
				if l.in&(1<<k) != 0 {
					of[k]++
					best = max(best, of[k])
				}
			}
		case !isInexact(unicode.ToLower(r)):
			foreign, alike = foreign+1, alike+1
		default:
			foreign++
		}
	}
	if foreign >= leastLetters && 8*(foreign-alike) < foreign {
		in |= latinText
	}
	if accents >= leastLetters && 3*best < 2*accents {
		in |= oddAccents
	}
	return in
}

// letterOf returns the letter of ASCII that an enclosed one is, 0 for other characters. A
// regional indicator is one only in a row of three: two are a flag.
func letterOf(r rune, before, after []byte) byte {
	switch {
	case 0x249c <= r && r <= 0x24b5:
		return 'a' + byte(r-0x249c)
	case 0x1f110 <= r && r < 0x1f190: // four rows of 26, and others
		for _, first := range []rune{0x1f110, 0x1f130, 0x1f150, 0x1f170} {
			if first <= r && r < first+26 {
				return 'a' + byte(r-first)
			}
		}
	case isIndicator(r):
		b, _ := utf8.DecodeLastRune(before)
		a, n := utf8.DecodeRune(after)
		a2, _ := utf8.DecodeRune(after[n:])
		b2 := rune(0)
		if isIndicator(b) {
			b2, _ = utf8.DecodeLastRune(before[:len(before)-utf8.UTFMax])
		}
		if isIndicator(a) && (isIndicator(a2) || isIndicator(b)) || isIndicator(b) && isIndicator(b2) {
			return 'a' + byte(r-0x1f1e6)
		}
	}
	return 0
}

func isIndicator(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// hasEnclosed reports whether a text may have enclosed letters.
func hasEnclosed(text []byte) bool {
	return bytes.Contains(text, []byte("\xf0\x9f")) || bytes.Contains(text, []byte("\xe2\x92"))
}

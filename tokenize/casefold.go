package tokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// expansions lists the characters that full case folding replaces by several, each between a
// blank and what replaces it.
const expansions = "" +
	" ßss İi̇ ŉʼn ǰǰ ΐΐ ΰΰ ևեւ ẖẖ ẗẗ ẘẘ ẙẙ ẚaʾ ẞss ὐὐ ὒὒ ὔὔ ὖὖ ᾀἀι ᾁἁι ᾂἂι ᾃἃι ᾄἄι ᾅἅι ᾆἆι " +
	"ᾇἇι ᾈἀι ᾉἁι ᾊἂι ᾋἃι ᾌἄι ᾍἅι ᾎἆι ᾏἇι ᾐἠι ᾑἡι ᾒἢι ᾓἣι ᾔἤι ᾕἥι ᾖἦι ᾗἧι ᾘἠι ᾙἡι ᾚἢι ᾛἣι ᾜἤι ᾝἥι ᾞἦι ᾟἧι ᾠὠι " +
	"ᾡὡι ᾢὢι ᾣὣι ᾤὤι ᾥὥι ᾦὦι ᾧὧι ᾨὠι ᾩὡι ᾪὢι ᾫὣι ᾬὤι ᾭὥι ᾮὦι ᾯὧι ᾲὰι ᾳαι ᾴάι ᾶᾶ ᾷᾶι ᾼαι ῂὴι ῃηι ῄήι ῆῆ " +
	"ῇῆι ῌηι ῒῒ ΐΐ ῖῖ ῗῗ ῢῢ ΰΰ ῤῤ ῦῦ ῧῧ ῲὼι ῳωι ῴώι ῶῶ ῷῶι ῼωι ﬀff ﬁfi ﬂfl ﬃffi ﬄffl ﬅst " +
	"ﬆst ﬓմն ﬔմե ﬕմի ﬖվն ﬗմխ "

// appendCaseFolded appends text with full case folding (Unicode, CaseFolding.txt, statuses C
// and F) to dst, and bytes that are not UTF-8 as they are. x/text/cases gives the same bytes;
// to prepare its tables takes each process longer than to fold one message.
func appendCaseFolded(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case 'A' <= r && r <= 'Z':
			dst = append(dst, byte(r)+'a'-'A')
		case r < utf8.RuneSelf || isCaseless(r) || r == utf8.RuneError:
			dst = append(dst, text[i:i+n]...)
		case mayExpand(r):
			dst = append(dst, expanded(r)...)
		default:
			dst = utf8.AppendRune(dst, caseFolded(r))
		}
		i += n
	}
	return dst
}

// isCaseless recognises most of the characters that have no case.
func isCaseless(r rune) bool {
	return 0x0590 <= r && r < 0x10A0 || 0x2E80 <= r && r < 0xA640 || 0xAC00 <= r && r < 0xFB00
}

// mayExpand recognises all characters in expansions, and a few more.
func mayExpand(r rune) bool {
	switch r {
	case 'ß', 'İ', 'ŉ', 'ǰ', 'ΐ', 'ΰ', 'և':
		return true
	}
	return 0x1E96 <= r && r <= 0x1E9E || 0x1F50 <= r && r <= 0x1FFC || 0xFB00 <= r && r <= 0xFB17
}

// expanded returns the case folding of a character that may be in expansions.
func expanded(r rune) string {
	_, after, found := strings.Cut(expansions, " "+string(r))
	if !found {
		return string(caseFolded(r))
	}
	to, _, _ := strings.Cut(after, " ")
	return to
}

// caseFolded returns the one character that case folding makes of r: the small letter of its
// capital.
//
// QUIRK: x/text also folds the small letters of Cherokee to capitals, as Unicode does, but
// then the capitals to small letters.
func caseFolded(r rune) rune {
	switch {
	case r == 'ı': // its capital is I, which folds to i
		return r
	case 0x13F8 <= r && r <= 0x13FD || 0xAB70 <= r && r <= 0xABBF:
		return unicode.ToUpper(r)
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

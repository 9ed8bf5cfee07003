package tokenize

import (
	"strings"
	"testing"
)

// TestText has a sentence or more of each kind of script and of each trap. The
// terms of a test are all that there are, in order.
func TestText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"English", "Don't panic: the CAT sat on 3.5 mats, didn't it?", "don't|panic|the|cat|sat|on|3.5|mats|didn't|it"},
		{"curly apostrophe", "I can’t, can't you", "can't*2|you"},
		{"German", "Große STRASSE, große Straße", "grosse*2|strasse*2"},
		{"French", "L’été à Nîmes, aujourd’hui", "l'été|nîmes|aujourd'hui"},
		{"decomposed", "cafe\u0301 nai\u0308ve CAFÉ", "café*2|naïve"},
		{"Spanish", "¿Dónde está el niño? ¡AQUÍ!", "dónde|está|el|niño|aquí"},
		{"Polish", "Zażółć gęślą JAŹŃ", "zażółć|gęślą|jaźń"},
		{"Turkish", "İstanbul ve Iğdır", "istanbul|ve|iğdır"},
		{"Russian", "Съешь ещё этих МЯГКИХ булок", "съешь|ещё|этих|мягких|булок"},
		{"Greek", "Ο Οδυσσέας, ΟΔΥΣΣΈΑΣ", "οδυσσέασ*2"},
		{"Armenian", "Բարեւ աշխարհ", "բարեւ|աշխարհ"},
		{"Georgian", "გამარჯობა ᲒᲐᲛᲐᲠᲯᲝᲑᲐ", "გამარჯობა*2"},
		{"Hebrew", `שלום עולם צה"ל`, `שלום|עולם|צה"ל`},
		{"Arabic", "مرحبا بالعالم، مـــرحبا", "مرحبا*2|بالعالم"},
		{"Persian", "می\u200cخواهم", "میخواهم"},
		{"Hindi", "नमस्ते दुनिया", "नमस्ते|दुनिया"},
		{"Tamil", "வணக்கம் உலகம்", "வணக்கம்|உலகம்"},
		{"Amharic", "ሰላም ለዓለም።", "ሰላም|ለዓለም"},
		{"Tibetan", "བོད་ཡིག", "བོད|ཡིག"},
		{"Vietnamese", "Tiếng Việt", "tiếng|việt"},
		{"Thai", "ภาษาไทย", "ภา|ภาษา|ษา|ษาไท|ไท|ไทย|ย"},
		{"Lao", "ພາສາ", "ພາ|ພາສາ|ສາ"},
		{"Khmer", "ខ្មែរ", "ខ្មែ|ខ្មែរ|រ"},
		{"Burmese", "မြန်မာ", "မြန်|မြန်မာ|မာ"},
		{"Khmer with zero width space", "ខ\u200bម", "ខ|ម"},
		{"Chinese", "我爱北京。", "我|我爱|爱|爱北|北|北京|京"},
		{"lone ideograph", "中 國 a", "中|國"},
		{"rare ideographs", "\U00020000\U00031350", "\U00020000|\U00020000\U00031350|\U00031350"},
		{"Japanese", "東京タワーへ", "東|東京|京|タワー|へ"},
		{"long vowel in Hiragana", "らーめん", "ら|らー|ー|ーめ|め|めん|ん"},
		{"half width Katakana", "ﾃﾞｰﾀ", "データ"},
		{"Korean", "한국어 글", "한|한국|국|국어|어|글"},
		{"Korean decomposed", "\u1112\u1161\u11ab\u1100\u116e\u11a8", "한|한국|국"},
		{"Korean and Latin", "LG전자", "lg|전|전자|자"},
		{"Javanese", "ꦗꦮ", "ꦗ|ꦗꦮ|ꦮ"},
		{"Adlam", "𞤀𞤣𞤤𞤢𞤥", "𞤢𞤣𞤤𞤢𞤥"},
		{"full width", "ＶＩＡＧＲＡ １２３", "viagra|123"},
		{"mathematical", "𝐕𝐢𝐚𝐠𝐫𝐚 𝟙𝟚", "viagra|12"},
		{"circled", "Ⓥⓘⓐⓖⓡⓐ", "viagra"},
		{"ligature", "ﬁnd oﬃce", "find|office"},
		{"superscript", "m² x³", "m2|x3"},
		{"soft hyphen", "via\u00adgra via\u200bgra via\u2060gra via\ufeffgra via\u200dgra \u200bviagra\u200b", "viagra*6"},
		{"combining grapheme joiner", "via\u034fgra via\ufe0fgra", "viagra*2"},
		{"only marks", "\u0301 \u0301\u0302 _ __", ""},
		{"emoji", "ok 👍🏽 ❤️ 😀😀", "ok|👍|❤|😀*2"},
		{"flags and symbols", "🇩🇪 © → €", ""},
		{"fractions", "½ 1½", "1⁄2|11⁄2"},
		{"several words in one character", "\ufdfa", "صلى|الله|عليه|وسلم"},
		{"colon", "subject:foo é:a:bc: a：bc", "subject|foo|bc*2"},
		{"underscores", "__init__ ___ a_b", "init"},
		{"joined by underscores", "cheap_pills＿now‿é_ü＿ö été_ici_東京_x", "cheap|pills|now|été|ici|東|東京|京"},
		{"Windows-1252", "caf\xe9 na\xefve \x93quoted\x94 \xff", "café|naïve|quoted"},
		{"NUL and controls", "a\x00bc\x01\x02de\x7f", "bc|de"},
		{"replacement character", "ab\ufffdcd", "ab|cd"},
		{"mixed lines", "plain line\nélan vital\nplain again", "plain*2|line|élan|vital|again"},
		{"line separators", "ab\u2028cd\u0085ef\u00a0gh", "ab|cd|ef|gh"},
	}
	a := analyzer(t, "polya-7 channel=off stem=off")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := textTerms(a, tt.text); got != tt.want {
				t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestLongWords(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	for _, letter := range []string{"x", "ŋ", "ж"} {
		longest := strings.Repeat(letter, maxRunes)
		if got := textTerms(a, "aa "+longest+" bb"); got != "aa|"+longest+"|bb" {
			t.Errorf("a word of %d %q: %s", maxRunes, letter, got)
		}
		if got := textTerms(a, "aa "+longest+letter+" bb"); got != "aa|bb" {
			t.Errorf("a word of %d %q: %s", maxRunes+1, letter, got)
		}
	}
	if got := textTerms(a, "v"+strings.Repeat("\u00ad", 300)+"iagra"); got != "viagra" {
		t.Errorf("soft hyphens: %s", got)
	}
}

// TestJoinedWords reads a sentence whose words are joined to one that is too long.
func TestJoinedWords(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off min=1 stem=off")
	for _, sentence := range []string{
		"order cheap pills from our online pharmacy today and save money",
		"комментарий заказать дешёвые таблетки сегодня в нашей аптеке",
		"año été größe niño garçon où déjà vu straße übung",
	} {
		want := textTerms(a, sentence)
		for _, joint := range []string{".", "_", "'", "-", "/", "+", "’", "\u2024", "‿", "＿", "._", "_-_"} {
			if got := textTerms(a, strings.ReplaceAll(sentence, " ", joint)); got != want {
				t.Errorf("joined by %q:\n got %s\nwant %s", joint, got, want)
			}
		}
	}
}

func TestMin(t *testing.T) {
	for spec, want := range map[string]string{
		"polya-7 channel=off min=1": "a|é|bc|дом|中|7",
		"polya-7 channel=off min=2": "bc|дом|中",
		"polya-7 channel=off min=3": "дом|中",
		"polya-7 channel=off min=4": "中",
	} {
		if got := textTerms(analyzer(t, spec), "a é bc дом 中 7"); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

func TestFields(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off stem=off ngram=2")
	got := terms(func(b *Bag) {
		a.Text(b, "subject", []byte("Big élan 中"))
		a.Text(b, strings.Repeat("f", 100), []byte("word"))
		a.Text(b, "", []byte("big"))
	})
	want := "subject:big|subject:élan|subject:big élan|subject:中|" + strings.Repeat("f", maxField) + ":word|big"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestPairs(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off stem=off ngram=2")
	tests := []struct{ text, want string }{
		{"buy it now", "buy|it|buy it|now|it now"},
		{"buy www.x.org now", "buy|url:www.x.org|url:x.org|now"},
		{"день ночь", "день|ночь|день ночь"},
		{"ab 中 cd", "ab|中|cd"},
		{"\ufdfa", "صلى|الله|صلى الله|عليه|الله عليه|وسلم|عليه وسلم"},
	}
	for _, tt := range tests {
		if got := textTerms(a, tt.text); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestStemming(t *testing.T) {
	tests := []struct{ spec, text, want string }{
		{"lang=en stem=on", "running foxes' don't 2nd", "run|fox|don't|2nd"},
		{"lang=fr stem=on", "maisons grandes", "maison|grand"},
		{"lang=de stem=on", "Häuser laufen", "haus|lauf"},
		{"lang=ru stem=on", "книгами", "книг"},
	}
	for _, tt := range tests {
		if got := textTerms(analyzer(t, "polya-7 channel=off "+tt.spec), tt.text); got != tt.want {
			t.Errorf("%s of %q:\n got %s\nwant %s", tt.spec, tt.text, got, tt.want)
		}
	}
}

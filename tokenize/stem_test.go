package tokenize

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// sentences are a few of each language, ours.
var sentences = map[string]string{
	"en": "The children were playing in the garden when it began to rain, so they had to come inside.",
	"fr": "Les enfants jouaient dans le jardin quand il a commencé à pleuvoir, et ils sont rentrés avec nous.",
	"es": "Los niños jugaban en el jardín cuando empezó a llover, así que tuvieron que entrar en la casa.",
	"ru": "Дети играли в саду, когда начался дождь, и они должны были вернуться в дом, но не сразу.",
	"sv": "Barnen lekte i trädgården när det började regna, så de fick komma in och det var inte roligt.",
	"no": "Jeg vet ikke hva som skjer, men nå må vi gå inn fordi det regner mye etter at dere kom.",
	"hu": "A gyerekek a kertben játszottak, amikor az eső eleredt, és nem volt más hely, csak ez a ház.",
	"ar": "كان الأطفال يلعبون في الحديقة عندما بدأ المطر، ثم عادوا إلى البيت مع الأم التي كانت هناك.",
	"da": "Børnene ville ikke komme op af vandet, og nu er der ikke meget tid, så vi må blive her efter skole.",
	"nl": "De kinderen speelden in de tuin toen het begon te regenen, dus zij moesten naar binnen met ons.",
	"fi": "Lapset olivat puutarhassa, mutta kun alkoi sataa, he eivät voi olla siellä, ja se on nyt ohi.",
	"de": "Die Kinder spielten im Garten, als es zu regnen begann, und sie mussten mit der Mutter nach Hause.",
	"it": "I bambini giocavano nel giardino quando è cominciata la pioggia, e non sono più con noi.",
	"pt": "As crianças brincavam no jardim quando começou a chover, e não podiam ficar mais com a mãe.",
	"ro": "Copiii se jucau în grădină când a început să plouă, și nu au mai fost în casă până după ploaie.",
	"tr": "Çocuklar bahçede oynuyordu ama yağmur başladı ve bu yüzden daha sonra eve gibi bir yere gittiler.",
	"ta": "குழந்தைகள் தோட்டத்தில் விளையாடிக் கொண்டு இருந்தனர், ஆனால் மழை பெய்தது.",
	"ga": "Bhí na páistí ag imirt sa ghairdín nuair a thosaigh an bháisteach, agus tá siad istigh anois.",
	"pl": "Dzieci bawiły się w ogrodzie, a że nie było już słońca, to może przez to są teraz w domu.",
	"uk": "Діти гралися в саду, коли почався дощ, і вони не були вдома, але це було для них також добре.",
}

// TestStemmersTakeAnything has every stemmer see words of all languages and odd
// ones.
func TestStemmersTakeAnything(t *testing.T) {
	odd := []string{"'", "''", "a'", "'a", "'s", "ß", "yyyy", "\u0301a", "中", strings.Repeat("y", 40), strings.Repeat("ö", 40)}
	for _, text := range sentences {
		odd = append(odd, strings.Fields(text)...)
	}
	w := newWorker(spec{lang: none, min: 1})
	for i := range languages {
		w.lang = language(i)
		for _, word := range odd {
			before := string(w.fold([]byte(word)))
			if stem := w.stemOf([]byte(before)); len(stem) == 0 || len(stem) > maxTerm {
				t.Errorf("%v: %q became %q", w.lang, before, stem)
			}
		}
	}
}

func TestStemAutoOfAGivenLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	for _, l := range languages[none+1:] {
		want := "off"
		if l.gains {
			want = "on"
		}
		for code, text := range sentences {
			got := textTerms(analyzer(t, "polya-7 channel=off stem=auto lang="+l.code), text)
			if w := textTerms(analyzer(t, "polya-7 channel=off lang="+l.code+" stem="+want), text); got != w {
				t.Errorf("lang=%v, text %s:\n got %s\nwant %s", l.code, code, got, w)
			}
		}
	}
}

// TestStemAuto has one example of a language at least. The stems are those of
// the vocabularies of snowballstem.org where these have the word.
func TestStemAuto(t *testing.T) {
	tests := []struct{ spec, text, want string }{
		{"lang=ru", "книгами", "книг"},
		{"lang=de", "Häuser laufen", "haus|lauf"},
		{"lang=fr", "les maisons", "le|maison"},
		{"lang=fi", "taloissa", "talo"},
		{"lang=tr", "evlerde kitapları", "ev|kitap"},
		{"lang=en", "running foxes", "running|foxes"},
		{"lang=sv", "husen", "husen"},
		{"lang=none", "книгами kitapları", "книгами|kitapları"},
		{"lang=auto", "книгами", "книг"},
		{"lang=auto", "kitapları evlerde", "kitap|evlerde"},
		{"lang=auto", "الكتب", "كتب"},
		{"lang=auto", "running maisons Häuser taloissa", "running|maisons|häuser|taloissa"},
		{"lang=auto", "η πόλης שלום", "πόλησ|שלום"},
		{"lang=auto", "п2п", "п2п"},
		{"lang=auto", sentences["fr"], textTerms(analyzer(t, "polya-7 channel=off stem=off"), sentences["fr"])},
		{"lang=auto", sentences["ta"], textTerms(analyzer(t, "polya-7 channel=off stem=on lang=ta"), sentences["ta"])},
		{"lang=auto", sentences["ru"], textTerms(analyzer(t, "polya-7 channel=off stem=on lang=ru"), sentences["ru"])},
	}
	for _, tt := range tests {
		if got := textTerms(analyzer(t, "polya-7 channel=off stem=auto "+tt.spec), tt.text); got != tt.want {
			t.Errorf("%s of %q:\n got %s\nwant %s", tt.spec, tt.text, got, tt.want)
		}
	}
}

// TestStemAutoIsAlikeEverywhere holds what the rule by letters is for: the
// term of a word does not depend on the text around it.
func TestStemAutoIsAlikeEverywhere(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	var words []string
	for _, l := range languages {
		for word := range strings.FieldsSeq(sentences[l.code]) {
			words = append(words, strings.TrimFunc(word, unicode.IsPunct))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "words")
		var together, alone Bag
		a.Text(&together, "", []byte(strings.Join(chosen, " ")))
		for _, word := range chosen {
			a.Text(&alone, "", []byte(word))
		}
		same(t, &together, &alone)
	})
}

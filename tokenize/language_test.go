package tokenize

import (
	"strings"
	"testing"
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

func TestElection(t *testing.T) {
	a := analyzer(t, "polya-6 stem=on")
	w := a.take(new(Bag))
	for want, text := range sentences {
		if got := w.elect([]byte(text)); got.String() != want {
			t.Errorf("%q is %v, want %s: votes %v", text, got, want, w.box.votes)
		}
	}
	for _, text := range []string{
		"", "Hello", "Re: meeting", "PHP MySQL Apache nginx", "1 2 3 4 5", "東京 大阪", "the cat",
		strings.Repeat("the cat of a king "+strings.Repeat("foo bar ", 40), 5),
	} {
		if got := w.elect([]byte(text)); got != none {
			t.Errorf("%.60q is %v, want none", text, got)
		}
	}
}

// TestElectionIsByTheBeginning has the language of the first page decide for all
// of a text.
func TestElectionIsByTheBeginning(t *testing.T) {
	w := analyzer(t, "polya-6 stem=on").take(new(Bag))
	text := strings.Repeat(sentences["de"]+"\n", 60) + strings.Repeat(sentences["fr"]+"\n", 300)
	if got := w.elect([]byte(text)); got.String() != "de" {
		t.Errorf("got %v", got)
	}
}

func TestFunctionWords(t *testing.T) {
	w := newWorker(spec{})
	if len(codes) != languages || len(functionWords()) != languages {
		t.Errorf("%d codes, %d lists, want %d", len(codes), len(functionWords()), languages)
	}
	for i, code := range codes {
		words := strings.Fields(functionWords()[code])
		if len(words) < 30 || len(words) > 150 {
			t.Errorf("%s has %d words", code, len(words))
		}
		seen := map[string]bool{}
		for _, word := range words {
			if seen[word] {
				t.Errorf("%s has %q twice", code, word)
			}
			seen[word] = true
			if folded := string(w.fold([]byte(word))); folded != word {
				t.Errorf("%s has %q, which can never be a term: it folds to %q", code, word, folded)
			}
			if !stopWords()[word].has(language(i)) {
				t.Errorf("%q is not known as %s", word, code)
			}
		}
		if l := language(i); l.hasStemmer() && bySnowball[l] == nil == (byEnv[l] == nil) {
			t.Errorf("%s: hasStemmer is %v", code, language(i).hasStemmer())
		}
	}
}

// TestStemmersTakeAnything has every stemmer see words of all languages and odd
// ones.
func TestStemmersTakeAnything(t *testing.T) {
	odd := []string{"'", "''", "a'", "'a", "'s", "ß", "yyyy", "\u0301a", "中", strings.Repeat("y", 40), strings.Repeat("ö", 40)}
	for _, text := range sentences {
		odd = append(odd, strings.Fields(text)...)
	}
	w := newWorker(spec{lang: none, min: 1})
	w.stem = true
	for w.lang = range language(languages) {
		for _, word := range odd {
			before := string(w.fold([]byte(word)))
			if stem := w.stems.stem(w.lang, []byte(before)); len(stem) == 0 || len(stem) > maxTerm {
				t.Errorf("%v: %q became %q", w.lang, before, stem)
			}
		}
	}
}

// With lang=auto:en a text too short to tell is English, a longer one of what it tells, and one
// that tells nothing of none.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	french := "les gagnants de la loterie sont dans le jardin avec des prix et une fête pour les enfants"
	names := strings.Repeat("winning prizes ", 20)
	for spec, want := range map[string][3]string{
		"polya-6 stem=on":              {"winning", "enfant", "winning"},
		"polya-6 stem=on lang=auto:en": {"win", "enfant", "winning"},
	} {
		a, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{"winning prizes", french, names} {
			var bag Bag
			a.Text(&bag, "", []byte(text))
			found := false
			for k := range bag.Len() {
				term, _ := bag.At(k)
				found = found || string(term) == want[i]
			}
			if !found {
				t.Errorf("%s: %q has no %q", spec, text, want[i])
			}
		}
		if again, err := New(a.Spec()); err != nil || again.Spec() != a.Spec() {
			t.Errorf("%q: %v", a.Spec(), err)
		}
	}
	for _, spec := range []string{"polya-6 lang=auto:", "polya-6 lang=auto:auto", "polya-6 lang=auto:none", "polya-6 lang=auto:xx", "polya-6 lang=auto:pl stem=on"} {
		if _, err := New(spec); err == nil {
			t.Errorf("%q is an analyzer", spec)
		}
	}
	var bag Bag
	a, _ := New("polya-6 stem=off")
	if LanguageOf(&bag) != "" {
		t.Error("an empty bag has a language")
	}
	a.Text(&bag, "", []byte(french))
	a.Text(&bag, "subject", []byte(names))
	if code := LanguageOf(&bag); code != "fr" {
		t.Errorf("%q", code)
	}
}

// What an analyzer stems is said.
func TestStemmed(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"": "words in Cyrillic", "polya-6 lang=en": "none: it was not measured to pay for lang=en", "polya-6 lang=de": "all, as of lang=de",
		"polya-6 lang=en stem=on": "all, as of lang=en", "polya-6 stem=off": "none", "polya-6 stem=on": "in eighteen languages", "polya-6 stem=on lang=auto:de": "in eighteen",
	} {
		a, err := New(spec)
		if err != nil || !strings.HasPrefix(a.Stemmed(), want) {
			t.Errorf("%q: %q, %v", spec, a.Stemmed(), err)
		}
	}
}

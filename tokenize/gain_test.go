package tokenize

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestGainsCoverTheStemmers has a stemmer that is new, or gone, show.
func TestGainsCoverTheStemmers(t *testing.T) {
	if len(gains) != int(lastStemmed)+1 {
		t.Errorf("gains has %d languages, there are %d stemmers", len(gains), lastStemmed+1)
	}
	for l := range language(languages) {
		if _, ok := gains[l.String()]; ok != l.hasStemmer() {
			t.Errorf("%v: in gains %v, stemmer %v", l, ok, l.hasStemmer())
		}
	}
}

// TestStemAutoOfAGivenLanguage compares stem=auto with on or off, by the table.
func TestStemAutoOfAGivenLanguage(t *testing.T) {
	for l := range language(languages) {
		want := "off"
		if gains[l.String()] {
			want = "on"
		}
		for code, text := range sentences {
			got := textTerms(analyzer(t, "polya-6 stem=auto lang="+l.String()), text)
			if w := textTerms(analyzer(t, "polya-6 lang="+l.String()+" stem="+want), text); got != w {
				t.Errorf("lang=%v, text %s:\n got %s\nwant %s", l, code, got, w)
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
		{"lang=pl", "domami", "domami"},
		{"lang=none", "книгами kitapları", "книгами|kitapları"},
		{"lang=auto", "книгами", "книг"},
		{"lang=auto", "kitapları evlerde", "kitap|evlerde"},
		{"lang=auto", "الكتب", "كتب"},
		{"lang=auto", "running maisons Häuser taloissa", "running|maisons|häuser|taloissa"},
		{"lang=auto", "η πόλης שלום", "πόλησ|שלום"},
		{"lang=auto", "п2п", "п2п"},
		{"lang=auto", sentences["fr"], textTerms(analyzer(t, "polya-6 stem=off"), sentences["fr"])},
		{"lang=auto", sentences["ta"], textTerms(analyzer(t, "polya-6 stem=on lang=ta"), sentences["ta"])},
		{"lang=auto stop=on", "и книгами были", "книг|был"},
		{"lang=auto stop=on", sentences["ru"], textTerms(analyzer(t, "polya-6 stem=on stop=on lang=ru"), sentences["ru"])},
	}
	for _, tt := range tests {
		if got := textTerms(analyzer(t, "polya-6 stem=auto "+tt.spec), tt.text); got != tt.want {
			t.Errorf("%s of %q:\n got %s\nwant %s", tt.spec, tt.text, got, tt.want)
		}
	}
}

// TestStemAutoIsAlikeEverywhere holds what the rule by letters is for: the
// term of a word does not depend on the text around it.
func TestStemAutoIsAlikeEverywhere(t *testing.T) {
	a := analyzer(t, DefaultSpec)
	var words []string
	for _, code := range codes {
		for word := range strings.FieldsSeq(sentences[code]) {
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

// TestStopWordsAreNotStemmedToVote elects with stem=auto as with stem=off.
func TestStopWordsAreNotStemmedToVote(t *testing.T) {
	off, auto := newWorker(spec{lang: auto, short: none, stop: true, min: 2}), newWorker(spec{lang: auto, short: none, stem: stemAuto, stop: true, min: 2})
	for code, text := range sentences {
		text += " http://пример.рф/книгами?были"
		for range 2 { // with the cache empty and full
			off.analyzeInto(text)
			auto.analyzeInto(text)
			if off.box != auto.box || off.lang != auto.lang {
				t.Errorf("%s: %v with stem=off, %v with stem=auto", code, off.lang, auto.lang)
			}
		}
	}
}

func (w *worker) analyzeInto(text string) {
	w.bag = new(Bag)
	w.analyze("", []byte(text))
}

package tokenize

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultSpec is the analyzer that a new database gets. It stems where that was measured
// to help and the script determines the language, so that nearly all text in Latin letters
// is not stemmed, and keeps all words. On the sentences of SIB-200, as for gains, no other
// min is better by more than its standard error after 100, 300 and 640 sentences in any of
// thirty languages, and a stop list helps only in Italian, by a point, of the thirteen
// languages that have one.
const DefaultSpec = "polya-6 lang=auto stem=auto stop=off ngram=1 min=2"

// version is the version of the analyzer's behaviour. It changes whenever the same text
// and settings could give other terms: documents can be taken back only with the same terms.
const version = "polya-6"

// spec is a parsed spec string.
type spec struct {
	lang     language
	short    language // of texts too short to tell, with auto; none keeps them without
	stem     stemming
	stop     bool
	ngram    int
	min      int
	digits   bool
	attr     []string // in canonical order
	channels channels
}

// String returns the canonical form: the version and every setting, in a fixed order,
// defaults included; but digits, channel and attr only if they differ from the default.
func (s spec) String() string {
	lang := s.lang.String()
	if s.short >= 0 {
		lang += ":" + s.short.String()
	}
	text := fmt.Sprintf("%s lang=%s stem=%s stop=%s ngram=%d min=%d",
		version, lang, s.stem, onOff(s.stop), s.ngram, s.min)
	if !s.digits {
		text += " digits=off"
	}
	if s.channels != 0 {
		text += " channel=" + s.channels.String()
	}
	if len(s.attr) > 0 {
		text += " attr=" + attributesText(s.attr)
	}
	return text
}

// parseSpec reads the name of a version, and settings key=value after it, each at most
// once and in any order.
func parseSpec(text string) (spec, error) {
	s := spec{lang: auto, short: none, stem: stemAuto, ngram: 1, min: 2, digits: true}
	words := strings.Fields(text)
	if len(words) == 0 {
		return s, nil
	}
	if words[0] != version {
		return s, fmt.Errorf("tokenize: analyzer %.40q is not known to this program, which has %q", words[0], version)
	}
	seen := map[string]bool{}
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return s, fmt.Errorf("tokenize: %.40q in the analyzer spec is not of the form key=value", word)
		}
		if seen[key] {
			return s, fmt.Errorf("tokenize: %.40q is set twice in the analyzer spec", key)
		}
		seen[key] = true
		if err := s.set(key, value); err != nil {
			return s, err
		}
	}
	if one := max(s.lang, s.short); s.stem == stemOn && one >= 0 && !one.hasStemmer() {
		return s, fmt.Errorf("tokenize: there is no stemmer for lang=%s", one)
	}
	return s, nil
}

func (s *spec) set(key, value string) (err error) {
	switch key {
	case "lang":
		if code, found := strings.CutPrefix(value, "auto:"); found {
			if s.short, err = parseLanguage(code); err == nil && s.short < 0 {
				err = fmt.Errorf("tokenize: lang=%.40q in the analyzer spec must name a language after auto", value)
			}
			return err
		}
		s.lang, err = parseLanguage(value)
	case "stem":
		s.stem, err = parseStemming(value)
	case "stop":
		s.stop, err = parseOnOff(key, value)
	case "ngram":
		s.ngram, err = parseRange(key, value, 1, 2)
	case "min":
		s.min, err = parseRange(key, value, 1, 9)
	case "digits":
		s.digits, err = parseOnOff(key, value)
	case "channel":
		s.channels, err = parseChannels(value)
	case "attr":
		s.attr, err = parseAttributes(value)
	default:
		err = fmt.Errorf("tokenize: %.40q is no setting of an analyzer (lang, stem, stop, ngram, min, digits, channel, attr)", key)
	}
	return err
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func parseOnOff(key, value string) (bool, error) {
	if value != "on" && value != "off" {
		return false, fmt.Errorf("tokenize: %s=%.40q in the analyzer spec must be on or off", key, value)
	}
	return value == "on", nil
}

func parseRange(key, value string, low, high int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high || strconv.Itoa(n) != value {
		return 0, fmt.Errorf("tokenize: %s=%.40q in the analyzer spec must be a number from %d to %d", key, value, low, high)
	}
	return n, nil
}

package statistics

import (
	"bytes"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// suspectsShown is the number of suspects that 'polya info' prints; --is CLASS and JSON
	// have all.
	suspectsShown = 10

	// wordsShown is the number of words shown of a subject, in order of bytes.
	wordsShown = 8

	// leastWrong is the least share of wrong labels that is reported.
	leastWrong = .001
)

// labels says which learned documents are probably in the wrong class.
type labels struct {
	Wrong    []wrongLabels `json:"wrong_labels,omitempty"`
	Suspects []suspect     `json:"suspects,omitempty"`
}

// wrongLabels is the estimated share of a class that was learned as another.
type wrongLabels struct {
	Class string          `json:"class"`
	Share terminal.Number `json:"share"`
}

// suspect is a learned document whose label is probably wrong, with its entry in the ledger.
type suspect struct {
	Wrong  terminal.Share `json:"wrong" text:"wrong %"` // the probability
	Class  string         `json:"class"`
	Likely string         `json:"likely"`
	ID     string         `json:"document"`
	Day    string         `json:"day" text:"learned"`
	Source string         `json:"source,omitempty"`
	Sender string         `json:"sender,omitempty"`
	Words  list           `json:"words,omitempty" text:"words of the subject, or the longest"`
}

type list []string

// String returns the words as one text.
func (l list) String() string { return strings.Join(l, " ") }

// read adds the suspects that were learned as the class is, or as any if that is empty.
func (l *labels) read(s *store.Snapshot, k *calibration.Calibration, found []calibration.Suspect, is string) error {
	names := map[count.ClassID]string{}
	for _, class := range s.Classes() {
		names[class.ID] = class.Name
		if share := k.WrongLabels[class.ID]; share >= leastWrong && (is == "" || is == class.Name) {
			l.Wrong = append(l.Wrong, wrongLabels{class.Name, terminal.Number(share)})
		}
	}
	for _, x := range found {
		one := suspect{ID: x.ID.String(), Wrong: terminal.Share(x.Wrong), Class: names[x.Class], Likely: names[x.Likely]}
		if is != "" && is != one.Class && is != one.Likely {
			continue
		}
		if err := one.read(s, x.ID); err != nil {
			return err
		}
		l.Suspects = append(l.Suspects, one)
	}
	return nil
}

// read adds what the ledger says of a document.
func (x *suspect) read(s *store.Snapshot, id count.DocID) error {
	e, err := s.Entry(id)
	if err != nil || e == nil {
		return err
	}
	x.Day, x.Source = e.Time.UTC().Format("2006-01-02"), e.Source
	if e.Keep != count.LedgerFull {
		return nil
	}
	doc, err := s.Document(id)
	if err != nil || doc == nil {
		return err
	}
	var longest list
	for _, term := range doc.Terms {
		if word, ok := bytes.CutPrefix(term.Term, []byte("subject:")); ok {
			x.Words = append(x.Words, string(word))
		}
		if address, ok := bytes.CutPrefix(term.Term, []byte("from:")); ok && len(address) > len(x.Sender) && bytes.ContainsRune(address, '@') {
			x.Sender = string(address)
		}
		if !bytes.ContainsRune(term.Term, ':') && !count.OfChannel(term.Term) {
			longest = append(longest, string(term.Term))
		}
	}
	if x.Words == nil { // the longest words show best what it is about
		slices.SortStableFunc(longest, func(a, b string) int { return len(b) - len(a) })
		x.Words = longest
	}
	x.Words = x.Words[:min(len(x.Words), wordsShown)]
	return nil
}

// print prints the rates of wrong labels and the likeliest suspects, all of them for a
// class that is named.
func (l *labels) print(p *terminal.Streams, is string) error {
	if len(l.Suspects) == 0 {
		return nil
	}
	p.Printf("\n")
	wrong := l.Wrong // more than two classes have one rate
	if len(wrong) > 1 && !slices.ContainsFunc(wrong, func(w wrongLabels) bool { return w.Share != wrong[0].Share }) {
		p.Printf("About %.1f %% of each class seems to have been learned as another.\n", 100*float64(wrong[0].Share))
		wrong = nil
	}
	for _, w := range wrong {
		p.Printf("About %.1f %% of %s seems to have been learned as another class.\n", 100*float64(w.Share), terminal.Printable(w.Class))
	}
	p.Printf("%s in the wrong class; 'polya explain ID' says why, 'polya relabel CLASS ID' moves one:\n\n", terminal.Counted(len(l.Suspects), "document is probably", "documents are probably"))
	shown := l.Suspects
	if is == "" {
		shown = shown[:min(suspectsShown, len(shown))]
	}
	if err := terminal.TableOf(shown).Write(p.Stdout); err != nil {
		return err
	}
	if len(shown) < len(l.Suspects) {
		p.Printf("\n'polya info --is CLASS' lists those of one class, 'polya info --json' all.\n")
	}
	return nil
}

package reading

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/tokenize"
)

// fewDocuments tell the language of all.
const fewDocuments = 200

var errEnough = errors.New("enough was read")

// Language returns the code of the language of the first documents at paths, "" if they do
// not tell, or come through a pipe and can be read only once.
func Language(ctx context.Context, paths []string, o corpus.Options) string {
	a, err := tokenize.New(strings.Replace(tokenize.DefaultSpec, "stem=auto", "stem=off", 1))
	if err != nil || slices.ContainsFunc(paths, func(path string) bool { return path == "-" || isSlow(path) }) {
		return ""
	}
	var bag tokenize.Bag
	n := 0
	for _, path := range paths {
		err := corpus.Walk(ctx, path, o, func(c *corpus.Document) error {
			d := Document{Content: c.Content, Format: c.Format}
			_, _ = d.count(a, &bag)
			if n++; n == fewDocuments {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			break
		}
	}
	return tokenize.LanguageOf(&bag)
}

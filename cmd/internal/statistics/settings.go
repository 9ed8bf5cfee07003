package statistics

import (
	"strings"

	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// PrintSettings prints the settings that a database keeps, a line each.
func PrintSettings(p *terminal.Streams, kept setting.Values) error {
	var t terminal.Table
	for _, name := range setting.Names {
		if value := kept[name]; value != "" {
			t.Add(name, shownValue(value))
		}
	}
	if len(t.Rows) == 0 {
		p.Printf("nothing is set; 'polya help set' lists what can be\n")
		return nil
	}
	return t.Write(p.Stdout)
}

// shownValue returns a value of several lines as one.
func shownValue(value string) string {
	return terminal.Printable(strings.ReplaceAll(value, "\n", "  "))
}

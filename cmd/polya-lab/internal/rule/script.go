package rule

import (
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// test returns the condition as a test of Sieve (RFC 5228).
func (c Condition) test() string {
	switch c.Kind {
	case ListID:
		return `header :contains "list-id" ` + quoted(c.Value)
	case FromAddress:
		return `address :is "from" ` + quoted(c.Value)
	case Recipient:
		return `address :is ["to", "cc"] ` + quoted(c.Value)
	case FromDomain:
		return fmt.Sprintf(`address :domain :matches "from" [%s, %s]`, quoted(literal(c.Value)), quoted("*."+literal(c.Value)))
	}
	return `header :contains "subject" ` + quoted(c.Value)
}

// Line returns the command that files what meets the condition into a folder, on one line.
func (c Condition) Line(folder string) string {
	return fmt.Sprintf("if %s { fileinto %s; }", c.test(), quoted(folder))
}

// Script returns it as a complete script.
func (c Condition) Script(folder string) string {
	return fmt.Sprintf("require [\"fileinto\"];\n\nif %s {\n    fileinto %s;\n}\n", c.test(), quoted(folder))
}

// IsText reports whether s can stand in a quoted string and be shown: control
// characters have no escape there, and a script is UTF-8 (RFC 5228 section 2.4.2).
func IsText(s string) bool { return terminal.IsPrintable(s) }

// quoted returns s as a quoted string: only quotes and backslashes are escaped.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// literal escapes characters with a meaning in a pattern of ":matches" (section 2.7.1).
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(s)
}

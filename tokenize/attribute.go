package tokenize

// Attribute is a named value of a document, beside its terms.
type Attribute struct {
	Name string

	// Value is a string for a category, a float64 for a number.
	Value any
}

// The attributes that a spec can ask for; package mail defines them. They are in the
// order of a spec's canonical form.
var attributeNames = []string{
	"sender", "domain", "list", "to", "size", "hour", "weekday", "recipients", "attachments",
}

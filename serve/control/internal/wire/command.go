package wire

import "strconv"

// A Command is a command of polya about one document.
type Command struct {
	User     string   // whose database it is, "" for the shared one; a server knows it by the file
	Database string   // its path, as messages name it
	Args     []string // of polya; the last is the path of the document, or -
	Document []byte   // its content
}

// A Result is what a command has printed, and its exit code.
type Result struct {
	Code     int
	Out, Err string
}

// AppendResult appends the reply of run.
func AppendResult(b []byte, r *Result) []byte {
	return appendQuoted(append(b, "ran"...), strconv.Itoa(r.Code), r.Out, r.Err)
}

func parseResult(text string) (r Result, err error) {
	texts, err := quoted(text)
	if err != nil || len(texts) != 3 {
		return r, ErrProtocol
	}
	if r.Code, err = strconv.Atoi(texts[0]); err != nil {
		return r, ErrProtocol
	}
	r.Out, r.Err = texts[1], texts[2]
	return r, nil
}

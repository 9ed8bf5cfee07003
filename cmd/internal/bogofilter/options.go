// Package bogofilter implements the command line of bogofilter (version 1.2.5): its options,
// header field, output lines and exit codes, so that programs that call bogofilter can call
// polya instead.
package bogofilter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The classes in the database. Messages of other classes count as ham.
const (
	SpamClass = "spam"
	HamClass  = "ham"
)

// Options are a parsed command line.
type Options struct {
	Learn  string // SpamClass or HamClass, or ""
	Forget bool   // take the message back
	Update bool   // learn sure answers

	Pass      bool // output the message with the answer in its header
	Embed     bool // exit code 0 for every answer
	Terse     bool // lines of class and spamicity
	Fixed     int  // like Terse in a form that no configuration changes; 2 is only the spamicity
	Verbose   bool
	Mailbox   bool // inputs hold several messages
	FromNames bool // the names of inputs come on standard input
	Named     bool // the names of inputs are Names
	Names     []string
	Syslog    bool

	In, Out string // files in place of standard input and output, or ""

	Folder   string // of -d, or ""
	Database string // of polya's own --db, or ""
	Wait     string // of polya's own --wait, or ""

	Help, Version bool
}

// option is an option without a value.
type option struct {
	short byte
	long  string
	set   func(*state)
}

// state is a partly parsed command line.
type state struct {
	Options
	spam, ham, notSpam, notHam bool // -s, -n, -S, -N
}

var plain = []option{
	{'s', "register-spam", func(o *state) { o.spam = true }},
	{'n', "register-ham", func(o *state) { o.ham = true }},
	{'S', "unregister-spam", func(o *state) { o.notSpam = true }},
	{'N', "unregister-nonspam", func(o *state) { o.notHam = true }},
	{'p', "passthrough", func(o *state) { o.Pass = true }},
	{'e', "ham-true", func(o *state) { o.Embed = true }},
	{'u', "update-as-scored", func(o *state) { o.Update = true }},
	{'t', "terse", func(o *state) { o.Terse = true }},
	{'T', "fixed-terse-format", func(o *state) { o.Fixed++ }},
	{'v', "verbosity", func(o *state) { o.Verbose = true }},
	{'M', "classify-mbox", func(o *state) { o.Mailbox = true }},
	{'b', "classify-stdin", func(o *state) { o.FromNames = true }},
	{'B', "classify-files", func(o *state) { o.Named = true }},
	{'l', "use-syslog", func(o *state) { o.Syslog = true }},
	{'h', "help", func(o *state) { o.Help = true }},
	{'V', "version", func(o *state) { o.Version = true }},
	// These change nothing here: polya reads no configuration of bogofilter and prints no
	// statistics of tokens.
	{'C', "no-config-file", func(*state) {}},
	{'q', "quiet", func(*state) {}},
	{'U', "report-unsure", func(*state) {}},
}

// valued are the options with a value. Polya's own have no short name.
var valued = []struct {
	short byte
	long  string
	set   func(*state, string)
}{
	{'I', "input-file", func(o *state, value string) { o.In = value }},
	{'O', "output-file", func(o *state, value string) { o.Out = value }},
	{'d', "bogofilter-dir", func(o *state, value string) { o.Folder = value }},
	{0, "db", func(o *state, value string) { o.Database = value }},
	{0, "wait", func(o *state, value string) { o.Wait = value }},
}

// Parse reads a command line as bogofilter reads it: options may be combined as in -upe,
// and may follow names.
func Parse(args []string) (Options, error) {
	o := new(state)
	for len(args) > 0 {
		arg, rest := args[0], args[1:]
		args = rest
		var err error
		switch {
		case arg == "--":
			o.Names = append(o.Names, args...)
			args = nil
		case strings.HasPrefix(arg, "--"):
			args, err = o.long(arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = o.shorts(arg[1:], args)
		default:
			o.Names = append(o.Names, arg)
		}
		if err != nil {
			o.Pass = o.Pass || passes(arg) || slices.ContainsFunc(rest, passes)
			return o.Options, err
		}
	}
	return o.checked()
}

// passes reports whether an argument that was not understood, or that follows such an argument,
// may ask for the message to be output.
func passes(arg string) bool {
	return arg == "--passthrough" || strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "p")
}

// long reads the option name or name=value, and returns the arguments after it.
func (o *state) long(name string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(name, "=")
	for _, p := range plain {
		if p.long == name && p.short == 'B' && given {
			o.Names = append(o.Names, value)
			given = false
		}
		if p.long == name && !given {
			p.set(o)
			return rest, nil
		}
	}
	for _, v := range valued {
		if v.long != name {
			continue
		}
		if !given {
			if len(rest) == 0 {
				return nil, fmt.Errorf("option --%s needs a value", name)
			}
			value, rest = rest[0], rest[1:]
		}
		v.set(o, value)
		return rest, nil
	}
	return nil, unknown("--" + name)
}

// shorts reads single-letter options.
func (o *state) shorts(letters string, rest []string) ([]string, error) {
next:
	for i := range len(letters) {
		for _, p := range plain {
			if p.short == letters[i] {
				p.set(o)
				continue next
			}
		}
		for _, v := range valued {
			if v.short != letters[i] {
				continue
			}
			value := letters[i+1:]
			if value == "" {
				if len(rest) == 0 {
					return nil, fmt.Errorf("option -%c needs a value", letters[i])
				}
				value, rest = rest[0], rest[1:]
			}
			v.set(o, value)
			return rest, nil
		}
		return nil, unknown("-" + letters[i:i+1])
	}
	return rest, nil
}

// unknown is the error about an option that polya or bogofilter lacks.
func unknown(name string) error {
	return fmt.Errorf("polya does not speak option %q of bogofilter", name)
}

// checked returns the options unless they contradict each other.
func (o *state) checked() (Options, error) {
	changes := o.spam || o.ham || o.notSpam || o.notHam
	switch {
	case o.Update && changes:
		return o.Options, errors.New("option -u goes with none of -s, -n, -S and -N")
	case o.spam && (o.ham || o.notSpam), o.ham && o.notHam, o.notSpam && o.notHam:
		return o.Options, errors.New("options -s, -n, -S and -N: of those that go together there are -Ns and -Sn")
	case o.Named && o.FromNames:
		return o.Options, errors.New("options -b and -B do not go together")
	case len(o.Names) > 0 && !o.Named:
		return o.Options, fmt.Errorf("%q: names of files need -B", o.Names[0])
	case slices.Contains([]string{o.Folder, o.Database}, "-"):
		return o.Options, errors.New("no database is called \"-\"")
	}
	switch {
	case o.spam:
		o.Learn = SpamClass
	case o.ham:
		o.Learn = HamClass
	default:
		o.Forget = changes
	}
	return o.Options, nil
}

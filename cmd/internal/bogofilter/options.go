// Package bogofilter implements the command line of bogofilter (version 1.2.5): its options,
// header field, output lines and exit codes, so that programs that call bogofilter can call
// polya instead.
package bogofilter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The classes in the database. Messages of other classes count as ham.
const (
	SpamClass = "spam"
	hamClass  = "ham"
)

// Options are a parsed command line.
type Options struct {
	Learn  string // the class, or ""
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

	In, Out string // files in place of standard input and output, or ""

	Folder   string // of -d, or ""
	Database string // of polya's own --db, or ""
	Wait     string // of polya's own --wait, or ""

	Help, Version bool

	spam, ham, notSpam, notHam bool // -s, -n, -S, -N
}

func (o *Options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("bogofilter", pflag.ContinueOnError)
	f.Usage = func() {}
	f.BoolVarP(&o.spam, "register-spam", "s", false, "")
	f.BoolVarP(&o.ham, "register-ham", "n", false, "")
	f.BoolVarP(&o.notSpam, "unregister-spam", "S", false, "")
	f.BoolVarP(&o.notHam, "unregister-nonspam", "N", false, "")
	f.BoolVarP(&o.Pass, "passthrough", "p", false, "")
	f.BoolVarP(&o.Embed, "ham-true", "e", false, "")
	f.BoolVarP(&o.Update, "update-as-scored", "u", false, "")
	f.BoolVarP(&o.Terse, "terse", "t", false, "")
	f.CountVarP(&o.Fixed, "fixed-terse-format", "T", "")
	f.BoolVarP(&o.Verbose, "verbosity", "v", false, "")
	f.BoolVarP(&o.Mailbox, "classify-mbox", "M", false, "")
	f.BoolVarP(&o.FromNames, "classify-stdin", "b", false, "")
	f.BoolFuncP("classify-files", "B", "", func(name string) error {
		if o.Named = true; name != "true" { // as in --classify-files=NAME
			o.Names = append(o.Names, name)
		}
		return nil
	})
	f.BoolVarP(&o.Help, "help", "h", false, "")
	f.BoolVarP(&o.Version, "version", "V", false, "")
	// These change nothing here: polya reads no configuration of bogofilter, writes nothing to the
	// system log, and prints no statistics of tokens.
	f.BoolP("use-syslog", "l", false, "")
	f.BoolP("no-config-file", "C", false, "")
	f.BoolP("quiet", "q", false, "")
	f.BoolP("report-unsure", "U", false, "")
	f.StringVarP(&o.In, "input-file", "I", "", "")
	f.StringVarP(&o.Out, "output-file", "O", "", "")
	f.StringVarP(&o.Folder, "bogofilter-dir", "d", "", "")
	f.StringVar(&o.Database, "db", "", "") // polya's own
	f.StringVar(&o.Wait, "wait", "", "")
	return f
}

// Parse reads a command line as bogofilter reads it: options may be combined as in -upe,
// and may follow names.
func Parse(args []string) (o Options, err error) {
	f := o.flags()
	err = f.Parse(args)
	o.Names = append(o.Names, f.Args()...)
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		option := "--" + missing.GetSpecifiedName()
		if missing.GetSpecifiedShortnames() != "" {
			option = option[1:]
		}
		err = fmt.Errorf("polya does not speak option %q of bogofilter", option)
	}
	if err != nil {
		o.Pass = o.Pass || slices.ContainsFunc(args, passes)
		return o, err
	}
	return o, o.check()
}

// passes reports whether an argument of a command line that was not understood may ask for the
// message to be output.
func passes(arg string) bool {
	return arg == "--passthrough" || strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "p")
}

// check returns an error if the options contradict each other.
func (o *Options) check() error {
	changes := o.spam || o.ham || o.notSpam || o.notHam
	switch {
	case o.Update && changes:
		return errors.New("option -u goes with none of -s, -n, -S and -N")
	case o.spam && (o.ham || o.notSpam), o.ham && o.notHam, o.notSpam && o.notHam:
		return errors.New("options -s, -n, -S and -N: of those that go together there are -Ns and -Sn")
	case o.Named && o.FromNames:
		return errors.New("options -b and -B do not go together")
	case len(o.Names) > 0 && !o.Named:
		return fmt.Errorf("%q: names of files need -B", o.Names[0])
	case slices.Contains([]string{o.Folder, o.Database}, "-"):
		return errors.New("no database is called \"-\"")
	}
	switch {
	case o.spam:
		o.Learn = SpamClass
	case o.ham:
		o.Learn = hamClass
	default:
		o.Forget = changes
	}
	return nil
}

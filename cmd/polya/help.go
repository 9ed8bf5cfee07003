package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `Polya sorts mail and other documents into classes that it learns from examples,
and keeps what it has learned in one file.

    polya train CLASS PATH…     learn the documents at PATH as CLASS
    polya classify PATH…        say which class each document belongs to

`

const rootNotes = `
A PATH is a file, a folder (every file below it), a Maildir (its own messages), or - for
standard input. One file is one document, but .mbox, .jsonl and .csv hold several; .gz,
.bz2 and .xz are read. Mail, HTML and plain text are told apart. 'polya help paths' says
more.

The database is the file of --db, or else of $POLYA_DB, or else
%s

A database that others use is waited for, 10 seconds to read it and 30 to change it;
--wait or $POLYA_WAIT says how long, as in --wait 2m.

Exit codes: 0 done or yes, 1 no, 3 trouble, 4 unsure (only 'classify --is').

Example:
    polya train spam ~/Maildir/.Junk
    polya train ham ~/Maildir
    polya classify message.eml
`

// help prints the help of cmd: what it does, its flags, an example.
func (p *program) help(cmd *cobra.Command, _ []string) {
	if cmd == cmd.Root() {
		p.rootHelp(cmd)
		return
	}
	w := p.Stdout
	if cmd.IsAdditionalHelpTopicCommand() {
		fmt.Fprintln(w, strings.TrimSpace(cmd.Long))
		return
	}
	fmt.Fprintf(w, "usage: %s\n\n", usage(cmd))
	text := cmd.Long
	if text == "" {
		text = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
	}
	fmt.Fprintln(w, strings.TrimSpace(text))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w)
		list(w, cmd)
	}
	cmd.Flags().SortFlags = false
	if flags := cmd.LocalFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsages())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExample:\n%s\n", cmd.Example)
	}
}

func (p *program) rootHelp(cmd *cobra.Command) {
	where, err := defaultDatabase()
	if err != nil {
		where = err.Error()
	}
	fmt.Fprint(p.Stdout, rootHelp)
	fmt.Fprintln(p.Stdout, "Commands ('polya help COMMAND' says more):")
	list(p.Stdout, cmd)
	fmt.Fprintln(p.Stdout, "\nTopics ('polya help TOPIC'):")
	for _, c := range topics() {
		fmt.Fprintf(p.Stdout, "    %-10s  %s\n", c.Name(), c.Short)
	}
	fmt.Fprintf(p.Stdout, "\nFlags of every command:\n%s", cmd.PersistentFlags().FlagUsages())
	fmt.Fprintf(p.Stdout, rootNotes, where)
}

func usage(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

func list(w io.Writer, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(w, "    %-10s  %s\n", c.Name(), c.Short)
		}
	}
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "say more about a command or a topic",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if found, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range found.Commands() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return knownCommand(found, rest)
			}
			return found.Help()
		},
	}
}

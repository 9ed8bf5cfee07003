package command

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/store"
)

// Text returns the text of a command or a topic, "" if there is none. The text of class merge is in
// help/class-merge.txt.
func (p *Program) Text(name string) string {
	text, _ := p.Texts.ReadFile("help/" + strings.ReplaceAll(name, " ", "-") + ".txt")
	return string(text)
}

// help prints the help of cmd: what it does, its flags, an example.
func (p *Program) help(cmd *cobra.Command, _ []string) {
	w := bufio.NewWriter(p.Stdout)
	defer func() { p.Lost = w.Flush() }()
	if cmd == cmd.Root() {
		// The first page has a place for the path of the database.
		fmt.Fprintf(w, p.Text(p.Name), cmp.Or(DefaultPath(), ErrNoPath.Error()))
		return
	}
	text := p.Text(strings.TrimPrefix(cmd.CommandPath(), p.Name+" "))
	if cmd.IsAdditionalHelpTopicCommand() {
		fmt.Fprint(w, text)
		return
	}
	fmt.Fprintf(w, "usage: %s %s\n\n", cmd.Parent().CommandPath(), cmd.Use)
	fmt.Fprint(w, cmp.Or(text, strings.ToUpper(cmd.Short[:1])+cmd.Short[1:]+".\n"))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w)
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "    %-10s  %s\n", c.Name(), c.Short)
			}
		}
	}
	cmd.Flags().SortFlags = false
	if flags := cmd.LocalFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsages())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExample:\n%s\n", cmd.Example)
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
				return Known(found, rest)
			}
			return found.Help()
		},
	}
}

// CompletionCommand prints scripts for shells.
func CompletionCommand(p *Program) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a script for completion in a shell",
		Example: strings.ReplaceAll(`    polya completion bash > ~/.local/share/bash-completion/completions/polya
    echo '. <(polya completion bash)' >> ~/.bashrc
    polya completion zsh > "${fpath[1]}/_polya"
    polya completion fish > ~/.config/fish/completions/polya.fish
    polya completion powershell | Out-String | Invoke-Expression`, "polya", p.Name),
		Args:      Needs(1, 1, "the name of a shell: bash, zsh, fish or powershell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return completeBash(p.Stdout, root)
			case "zsh":
				return root.GenZshCompletion(p.Stdout)
			case "fish":
				return root.GenFishCompletion(p.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(p.Stdout)
			}
			return Misuse(cmd, "no completion for %q: want bash, zsh, fish or powershell", args[0])
		},
	}
}

// VersionCommand prints the version.
func VersionCommand(p *Program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version of " + p.Name,
		Example: "    " + p.Name + " version",
		Args:    Needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			p.Printf("%s\n", p.Version())
			return nil
		},
	}
}

// release and commit are set by the linker in packaged programs. Otherwise Go's build
// information has them, if built from a version or a clone.
var release, commit string

// Version describes this build of the program and its Go version.
func (p *Program) Version() string {
	version, revision := cmp.Or(release, "devel"), ""
	if commit != "" {
		revision = " " + commit
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		if v := build.Main.Version; release == "" && v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("%s %s%s, file format %d, %s %s/%s", p.Name, version, revision, store.FormatVersion,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// words has the functions that cobra's script takes from the package bash-completion,
// which many machines lack: there it fails at every Tab.
//
//go:embed words.bash
var words string

// completeBash writes the script for bash, which needs only bash.
func completeBash(w io.Writer, root *cobra.Command) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	own := strings.NewReplacer(`_get_comp_words_by_ref "$@" cur prev words cword`, "__polya_words", "_filedir", "__polya_files")
	_, err := io.WriteString(w, words+own.Replace(script.String()))
	return err
}

package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/completion"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/store"
)

func completionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a script for completion in a shell",
		Example: `    polya completion bash > ~/.local/share/bash-completion/completions/polya
    echo '. <(polya completion bash)' >> ~/.bashrc
    polya completion zsh > "${fpath[1]}/_polya"
    polya completion fish > ~/.config/fish/completions/polya.fish
    polya completion powershell | Out-String | Invoke-Expression`,
		Args:      needs(1, 1, "the name of a shell: bash, zsh, fish or powershell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return completion.Bash(p.Stdout, root)
			case "zsh":
				return root.GenZshCompletion(p.Stdout)
			case "fish":
				return root.GenFishCompletion(p.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(p.Stdout)
			}
			return misuse(cmd, "no completion for %q: want bash, zsh, fish or powershell", args[0])
		},
	}
}

// completionTimeout is how long the Tab key may wait for a database in use.
const completionTimeout = 200 * time.Millisecond

// completeClasses lists the classes to the shell. Where there is no database to ask
// there are none.
func (p *program) completeClasses() []string {
	path, err := p.databasePath()
	if err != nil {
		return nil
	}
	db, err := store.Open(path, store.Options{ReadOnly: true, Timeout: completionTimeout})
	if err != nil {
		return nil
	}
	defer db.Close()
	var names []string
	for _, c := range holdings.Classes(db) {
		names = append(names, c.Name)
	}
	return names
}

// completeClass completes a class as the only argument.
func (p *program) completeClass(args []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
}

// completeClassThenPath completes a class and then files.
func (p *program) completeClassThenPath(args []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
}

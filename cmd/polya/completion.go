package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/completion"
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

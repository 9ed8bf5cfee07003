package command

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"
)

// words has the functions that cobra's script takes from the package bash-completion,
// which many machines lack: there it fails at every Tab.
//
//go:embed words.bash
var words []byte

// completeBash writes the script for bash. It needs only bash, and uses the package
// bash-completion if that is loaded. root must be the command polya.
func completeBash(w io.Writer, root *cobra.Command) error {
	fromPackage := regexp.MustCompile(`_get_comp_words_by_ref "\$@" cur prev words cword`)
	files := regexp.MustCompile(`\b_filedir\b`)
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	if !fromPackage.Match(script.Bytes()) {
		return fmt.Errorf("cobra's script for bash has changed: it does not call %s", fromPackage)
	}
	own := fromPackage.ReplaceAll(script.Bytes(), []byte("__polya_words"))
	_, err := w.Write(append(bytes.Clone(words), files.ReplaceAll(own, []byte("__polya_files"))...))
	return err
}

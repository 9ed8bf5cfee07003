//go:build unix

package asdaemon

import (
	"os"
	"slices"
	"testing"
)

// Root checks with the restrictions of the unit that serves the configuration, and no other.
func TestUnderUnit(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../../../docs/systemd/polya.service")
	if err != nil {
		t.Fatal(err)
	}
	run := underUnit(string(unit)+"\n# a drop-in\n[Service]\nReadWritePaths=/srv/polya\n", "serve", "/etc/polya/polya.toml")
	for _, want := range []string{"systemd-run", "-pUser=polya", "-pProtectSystem=strict", "-pSystemCallFilter=~@privileged @resources", "-pReadWritePaths=/srv/polya", "-pRuntimeDirectoryPreserve=yes"} {
		if !slices.Contains(run, want) {
			t.Errorf("%q lacks %s", run, want)
		}
	}
	for _, not := range []string{"-pType=notify", "-pRestart=on-failure", "-pDescription=polya, a classifier of mail", "-pWantedBy=multi-user.target"} {
		if slices.Contains(run, not) {
			t.Errorf("%q has %s", run, not)
		}
	}
	if run := underUnit(string(unit), "serve", "/srv/polya.toml"); run != nil {
		t.Errorf("of another file: %q", run)
	}
	if unit, err = os.ReadFile("../../../docs/systemd/polya-fleet.service"); err != nil {
		t.Fatal(err)
	}
	if run := underUnit(string(unit), "node", "/etc/polya/fleet.toml"); !slices.Contains(run, "-pUser=polya") {
		t.Errorf("of a node: %q", run)
	}
}

package daemon

import (
	"net"
	"os"
	"os/exec"
	"testing"
)

// Who names 0.0.0.0 is not reached by IPv6, for which a machine may have no firewall.
func TestWildcard(t *testing.T) {
	t.Parallel()
	for address, four := range map[string]bool{"0.0.0.0:0": true, "127.0.0.1:0": true, "[::]:0": false} {
		l, err := listenTCP(address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if ip := l.Addr().(*net.TCPAddr).IP; (ip.To4() != nil) != four {
			t.Errorf("%s is %s", address, l.Addr())
		}
	}
}

// TestNoIPv4 listens on localhost where that has no address of IPv4, as in a network of its own.
func TestNoIPv4(t *testing.T) {
	t.Parallel()
	if os.Getenv("POLYA_NO_IPV4") != "" {
		l, err := listenTCP("localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		return
	}
	const alone = "ip link set lo up && ip addr del 127.0.0.1/8 dev lo && ip addr show dev lo | grep -q ::1"
	if out, err := exec.Command("unshare", "-n", "sh", "-c", alone).CombinedOutput(); err != nil {
		t.Skipf("no network of its own can be made: %v %s", err, out)
	}
	cmd := exec.Command("unshare", "-n", "sh", "-c", alone+` && exec "$0" -test.run=^TestNoIPv4$`, os.Args[0])
	cmd.Env = append(os.Environ(), "POLYA_NO_IPV4=yes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

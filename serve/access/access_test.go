package access

import (
	"net"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

func TestToken(t *testing.T) {
	for _, test := range []struct {
		right, shown string
		want         bool
	}{
		{"plum", "plum", true}, {"plum", "plu", false}, {"plum", "", false}, {"", "", false}, {"", "plum", false},
	} {
		if got := Token(test.right, test.shown); got != test.want {
			t.Errorf("token %q shown where %q is right: %v", test.shown, test.right, got)
		}
	}
}

func TestOwner(t *testing.T) {
	for _, test := range []struct {
		caller Caller
		want   bool
	}{
		{Caller{UID: -1}, false}, {Caller{UID: -1, User: "root"}, false}, {Caller{UID: -1, Token: true}, true},
		{Caller{UID: 0}, true}, {Caller{UID: os.Getuid()}, true}, {Caller{UID: os.Getuid() + 12345}, false},
	} {
		if got := Owner(test.caller); got != test.want {
			t.Errorf("%+v: %v", test.caller, got)
		}
	}
}

func TestSelf(t *testing.T) {
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	for _, test := range []struct {
		caller Caller
		want   bool
	}{
		{Caller{UID: uid, User: "nobody"}, true}, {Caller{UID: uid, User: "root"}, false}, {Caller{UID: uid}, os.Getuid() == uid},
		{Caller{UID: -1, User: "nobody"}, false}, {Caller{UID: 0, User: "nobody"}, true}, {Caller{UID: uid + 1<<20, User: ""}, false},
	} {
		if got := Self(test.caller); got != test.want {
			t.Errorf("%+v: %v", test.caller, got)
		}
	}
}

func TestAnyone(t *testing.T) {
	for caller, want := range map[Caller]bool{
		{UID: -1}: false, {UID: -1, User: "root"}: false, {UID: -1, Token: true}: true, {UID: -1, Unix: true}: true,
	} {
		if got := Anyone(caller); got != want {
			t.Errorf("%+v: %v", caller, got)
		}
	}
}

func TestUID(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell who is at the other end")
	}
	t.Parallel()
	for network, address := range map[string]string{"unix": filepath.Join(t.TempDir(), "s"), "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		client, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		want := map[string]int{"unix": os.Getuid(), "tcp": -1}[network]
		if got := UID(server); got != want {
			t.Errorf("%s: uid %d, want %d", network, got, want)
		}
	}
}

package mail

import (
	"net/netip"
	"testing"
)

// FuzzParseIPv6 compares it with net/netip.
func FuzzParseIPv6(f *testing.F) {
	for _, text := range []string{
		"2001:db8:17:4::9", "::", "::1", "1::", "::%", "::1%eth0", "fe80::1%a%b", "%::1", "a%b::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
		"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:8::", "1:2:3:4::5:6:7:8", "::2:3:4:5:6:7:8", ":1::2", "1::2:", "1:::2", "1::2::3", ":", ":::", "1:", ":1", "00001::", "FFFF:aBc0::", "g::", "+1::", "1_0::",
		"::ffff:1.2.3.4", "::1.2.3.4", "::0.0.0.1", "::0.0.0.0", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::2:3:4:5:6:7:1.2.3.4", "::3:4:5:6:7:1.2.3.4", "1.2.3.4::", "1.2.3.4", "1:1.2.3.4::", "::1.2.3.4:5",
		"::01.2.3.4", "::1.2.3.00", "::1.2.3.256", "::1.2.3", "::1.2.3.4.", "::ffff:0:1", "::1:0.0.0.1", "0:0:0:0:0:0:0:1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseIPv6([]byte(text))
		ip, err := netip.ParseAddr(text)
		if ok != (err == nil && ip.Is6()) {
			t.Fatalf("%q: %v, net/netip: %v", text, ok, err)
		}
		if !ok {
			return
		}
		want := ip.As16()
		for i, group := range got[:6] {
			if group != uint16(want[2*i])<<8|uint16(want[2*i+1]) {
				t.Errorf("%q: %x, net/netip %x", text, got, want)
			}
		}
		if (got == [8]uint16{7: 1}) != ip.IsLoopback() {
			t.Errorf("%q: %x, net/netip says loopback %v", text, got, ip.IsLoopback())
		}
	})
}

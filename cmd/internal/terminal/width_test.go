package terminal

import "testing"

func TestTruncate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		room int
		mark string
		want string
	}{
		{"spam", 4, "…", "spam"},
		{"spams", 4, "…", "spa…"},
		{"spams", 4, "", "spam"},
		{"spams", 0, "", ""},
		{"迷惑メール", 10, "…", "迷惑メール"},
		{"迷惑メール", 9, "…", "迷惑メー…"},
		{"迷惑メール", 8, "…", "迷惑メ…"},
		{"cafe\u0301s", 5, "", "cafe\u0301s"},
		{"cafe\u0301s", 4, "", "cafe\u0301"},
		{"", 0, "…", ""},
	} {
		if got := Truncate(c.s, c.room, c.mark); got != c.want {
			t.Errorf("Truncate(%q, %d, %q) = %q, want %q", c.s, c.room, c.mark, got, c.want)
		}
		if got := Width(Truncate(c.s, c.room, c.mark)); got > c.room {
			t.Errorf("Truncate(%q, %d, %q) takes %d columns", c.s, c.room, c.mark, got)
		}
	}
}

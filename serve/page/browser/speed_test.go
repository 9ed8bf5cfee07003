package browser

import (
	"io"
	"net/http"
	"testing"
	"time"
)

func TestSpeed(t *testing.T) {
	for _, classes := range []int{6, 40, 300} {
		begin := time.Now()
		s := folders(t, classes, 10000)
		t.Log("made in", time.Since(begin))
		for range 2 {
			for _, path := range []string{"/", "/?state=untaught", "/?text=letter", "/review", "/classes", "/well", "/ledger", "/import"} {
				r, _ := http.NewRequest("GET", s.base+path, nil)
				r.Header.Set("Authorization", "Bearer "+token)
				at := time.Now()
				reply, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				n, _ := io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
				t.Log(classes, path, reply.StatusCode, n, time.Since(at))
			}
		}
	}
}

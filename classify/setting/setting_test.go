package setting_test

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/store"
)

func learned(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.polya")
	c, err := classify.Open(path, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for class, text := range map[string]string{"spam": "cheap watches", "ham": "lunch meeting"} {
		if _, err := c.Train(context.Background(), class, c.Document([]byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// The library answers by what the database keeps, an option goes before it, and so does a
// decision of the program's own.
func TestDatabaseDecides(t *testing.T) {
	t.Parallel()
	path := learned(t)
	asked := func(o classify.Options) classify.Result {
		t.Helper()
		o.Store.ReadOnly = true
		c, err := classify.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r, err := c.Classify(context.Background(), c.Document([]byte("watches")))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := asked(classify.Options{}); r.Unsure {
		t.Fatalf("unsure without settings: %s", r.Reason)
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := setting.Put(db, setting.Values{setting.Threshold: "99.9%"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if r := asked(classify.Options{}); r.Reason != decision.BelowThreshold {
		t.Errorf("the reason is %q", r.Reason)
	}
	if r := asked(classify.Options{Settings: setting.Values{setting.Threshold: "0"}}); r.Unsure {
		t.Errorf("unsure although an option says 0: %s", r.Reason)
	}
	if r := asked(classify.Options{Decision: decision.MostProbable{}}); r.Unsure {
		t.Errorf("unsure although the program decides: %s", r.Reason)
	}
}

// What a database keeps reads back, also in a file whose names a later program wrote; what
// contradicts is not kept.
func TestPut(t *testing.T) {
	t.Parallel()
	db, err := store.Open(learned(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := setting.Values{setting.Cost: "ham>spam=20\nunsure=0.2", setting.TextColumn: "a=b c"}
	if err := setting.Put(db, want); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]setting.Values{
		"cost and fpr": {setting.Is: "spam", setting.FPR: "1%"}, "rate": {setting.Threshold: "2"}, "name": {"is=spam\nthreshold": "1"},
		"control": {setting.TextColumn: "a\x1bb"}, "prior": {setting.Prior: "often"},
	} {
		if err := setting.Put(db, bad); err == nil {
			t.Errorf("%s: kept", name)
		}
	}
	if got, err := setting.Of(db); err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if err := db.PutState(map[string][]byte{"settings": []byte("is=spam\nlater=1\nnothing\n")}); err != nil {
		t.Fatal(err)
	}
	if err := setting.Put(db, setting.Values{setting.Threshold: "90%"}); err != nil {
		t.Fatal(err)
	}
	if got, err := setting.Of(db); err != nil || !maps.Equal(got, setting.Values{setting.Is: "spam", setting.Threshold: "90%", "later": "1"}) {
		t.Errorf("%q, %v", got, err)
	}
	if err := setting.Put(db, setting.Values{"later": ""}); err != nil {
		t.Error(err)
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ given, kept, want setting.Values }{
		{setting.Values{}, setting.Values{setting.Is: "spam", setting.FPR: "1%"}, setting.Values{setting.Is: "spam", setting.FPR: "1%"}},
		{setting.Values{setting.Threshold: ".9"}, setting.Values{setting.Is: "spam", setting.FPR: "1%", setting.Format: "csv"},
			setting.Values{setting.Is: "spam", setting.Threshold: ".9", setting.Format: "csv"}},
		{setting.Values{setting.Precision: ".9"}, setting.Values{setting.Is: "spam"}, setting.Values{setting.Precision: ".9"}},
		{setting.Values{setting.Is: "spam"}, setting.Values{setting.Precision: ".9"}, setting.Values{setting.Is: "spam"}},
		{setting.Values{setting.Is: ""}, setting.Values{setting.Is: "spam"}, setting.Values{setting.Is: ""}},
	} {
		if got := test.given.Over(test.kept); !maps.Equal(got, test.want) {
			t.Errorf("%v over %v: %v, want %v", test.given, test.kept, got, test.want)
		}
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"0.9": .9, "90%": .9, " 1 % ": .01, "0": 0, "100%": 1} {
		if got, err := setting.Share(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "2", "101%", "-1%", "NaN", "many", strings.Repeat("9", 400)} {
		if got, err := setting.Share(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A file from before there were settings opens, and has none.
func TestEarlierFile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../store/testdata/*.polya")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kept databases: %v", err)
	}
	for _, path := range files {
		db, err := store.Open(path, store.Options{ReadOnly: true})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if v, err := setting.Of(db); err != nil || len(v) > 0 {
			t.Errorf("%s: %v, %v", path, v, err)
		}
		db.Close()
	}
}

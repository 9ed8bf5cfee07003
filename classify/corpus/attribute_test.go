package corpus_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// shown writes attributes as name:type=value.
func shown(list []corpus.Attribute) string {
	var all []string
	for _, a := range list {
		all = append(all, fmt.Sprintf("%s:%T=%v", a.Name, a.Value, a.Value))
	}
	return strings.Join(all, " ")
}

func TestJSONAttributes(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"text":"x","attributes":{"size":1234,"day":"mon","urgent":true,"late":false,"note":null,"list":""}}`,
			"day:string=mon late:bool=false size:float64=1234 urgent:bool=true"},
		{`{"attributes":{"b":-0.5e-3,"a":"1"}}`, "a:string=1 b:float64=-0.0005"},
		{`{"attributes":{}}`, ""},
		{`{"text":"x","attributes":null}`, ""},
		{`{"attributes":{"é\u0301":"ä"}}`, "é\u0301:string=ä"},
	}
	for _, tt := range tests {
		got, err := stream(strings.NewReader(tt.in), corpus.Options{})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d documents, %v", tt.in, len(got), err)
			continue
		}
		if list := shown(got[0].Attributes); list != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, list, tt.want)
		}
	}
}

// A number of 17 digits is the float64 that is meant.
func TestJSONNumbersAreExact(t *testing.T) {
	for _, x := range []float64{0.1, 1.0 / 3, math.Pi, 1e22, 5e-324, math.MaxFloat64, 9007199254740993, -2.2250738585072014e-308} {
		written := strconv.FormatFloat(x, 'e', 16, 64)
		got, err := stream(strings.NewReader(`{"attributes":{"x":`+written+`}}`), corpus.Options{})
		if err != nil || got[0].Attributes[0].Value != x {
			t.Errorf("%s: %v, %v", written, got, err)
		}
	}
}

func TestJSONAttributesRefused(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"text":"x","attributes":{"a":[1]}}`, `-:2: attribute "a" is an array or an object`},
		{`{"text":"x","attributes":{"a":{"b":1}}}`, `attribute "a" is an array or an object`},
		{`{"text":"x","attributes":{"a":1,"b":2,"a":1}}`, `attribute "a" comes twice`},
		{`{"text":"x","attributes":{"a":1e999}}`, `attribute "a": 1e999 is beyond the numbers`},
		{`{"text":"x","attributes":{"a":NaN}}`, `invalid character 'N' looking for beginning of value; JSON has null, and neither NaN nor Infinity`},
		{`{"text":"x","attributes":{"a":Infinity}}`, `invalid character 'I' looking for beginning of value; JSON has null, and neither NaN nor Infinity`},
		{`{"text":"x","attributes":[1]}`, "attributes are an object"},
		{`{"text":"x","attributes":"a"}`, "attributes are an object"},
		{`{"text":"x","attributes":{"":1}}`, "an attribute without a name"},
		{`{"class":"y"}`, `-:2: no column "text" for the text: there are "class", and no "attributes" with values`},
		{`{"class":{"a":1},"text":"x"}`, "-:2: class and id are strings or numbers, or a class is an array of strings"},
		{`{"class":["a",1],"text":"x"}`, "-:2: class and id are strings or numbers"},
		{`{"class":["a,b","c"],"text":"x"}`, "-:2: class and id are strings or numbers"},
		{`{"id":["a"],"class":"x","text":"x"}`, "-:2: class and id are strings or numbers"},
		{`{"attributes":{"a":1`, "-:2: not a JSON object"},
		{`{"text":"x"`, "no } at its end: EOF"},
		{`{"text":"x"}}`, "something follows the object"},
		{`[5]`, "no { at its beginning"},
		{`{"attributes":{"a":1},"attributes":{"b":1}}`, `-:2: two keys of the JSON object are "attributes"`},
		{`{"attributes":null,"Attributes":{"b":1}}`, `-:2: two keys of the JSON object are "Attributes"`},
		{`{"text":"x","text":"x"}`, `-:2: two keys of the JSON object are "text"`},
		{`{"text":"x","class":"","CLASS":1}`, `-:2: two keys of the JSON object are "CLASS"`},
		{`{"text":"x","id":1,"id":1}`, `-:2: two keys of the JSON object are "id"`},
		{`{"text":"x","time":1,"time":"y"}`, `-:2: two keys of the JSON object are "time"`},
		{`{"text":"x","attributes":{` + names(4097) + `}}`, "-:2: more than 4096 attributes"},
	}
	for _, tt := range tests {
		in := `{"text":"first"}` + "\n" + tt.in + "\n" + `{"text":"last"}`
		got, err := stream(strings.NewReader(in), corpus.Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", tt.in, err, tt.want)
		}
		if len(got) != 2 {
			t.Errorf("%s: %d documents, want the other two", tt.in, len(got))
		}
	}
}

// Attributes may be kept when the next document has been read.
func TestAttributesAreKept(t *testing.T) {
	for format, in := range map[corpus.Format]string{
		corpus.JSONL: `{"attributes":{"a":"one","b":1}}` + "\n" + `{"attributes":{"a":"two","b":2}}`,
		corpus.CSV:   "a,b\none,1\ntwo,2\n",
	} {
		got, err := stream(strings.NewReader(in), corpus.Options{Format: format})
		if err != nil || len(got) != 2 {
			t.Fatalf("%v: %d documents, %v", format, len(got), err)
		}
		list := []string{shown(got[0].Attributes), shown(got[1].Attributes)}
		if !slices.Equal(list, []string{"a:string=one b:float64=1", "a:string=two b:float64=2"}) {
			t.Errorf("%v: %v", format, list)
		}
	}
}

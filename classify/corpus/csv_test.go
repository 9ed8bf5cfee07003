package corpus_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// rows reads a table as standard input; each document becomes a line.
func rows(in string, o corpus.Options) ([]string, error) {
	o.Format = corpus.CSV
	got, err := stream(strings.NewReader(in), o)
	var list []string
	for _, d := range got {
		if !d.Row {
			err = errors.Join(err, fmt.Errorf("%s is no row", d.Path))
		}
		line := fmt.Sprintf("%s class=%s id=%s copy=%d %q %s", d.Path, d.Class, d.ID, d.Copy, d.Content, shown(d.Attributes))
		list = append(list, strings.TrimRight(line, " "))
	}
	return list, err
}

func TestCSV(t *testing.T) {
	var usual corpus.Options
	usual.Usual.Class, usual.Usual.Texts = []string{"label", "kind"}, []string{"body", "title"}
	tests := []struct {
		name, in string
		o        corpus.Options
		want     []string
	}{
		{"all parts", "id,class,text,size,day\n1,spam,buy now,12.5,mon\n2,ham,,3,tue\n", corpus.Options{}, []string{
			`-:2 class=spam id=1 copy=0 "buy now" day:string=mon size:float64=12.5`,
			`-:3 class=ham id=2 copy=0 "" day:string=tue size:float64=3`,
		}},
		{"columns named", "a,b,c,class\nx,y,z,1\n", corpus.Options{ClassColumn: "a", TextColumns: []string{"b"}, IDColumn: "c"}, []string{
			`-:2 class=x id=z copy=0 "y" class:float64=1`,
		}},
		{"mark and CRLF", "\ufeffclass,x\r\na,1\r\nb,2\r\n", corpus.Options{}, []string{
			`-:2 class=a id= copy=0 "" x:float64=1`, `-:3 class=b id= copy=0 "" x:float64=2`,
		}},
		{"quoted newlines", "class,\"a\nb\",text\nx,1,\"one\n\ntwo\"\ny,2,\"say \"\"three\"\"\"\n", corpus.Options{}, []string{
			"-:3 class=x id= copy=0 \"one\\n\\ntwo\" a b:float64=1", "-:6 class=y id= copy=0 \"say \\\"three\\\"\" a b:float64=2",
		}},
		{"several texts", "class,title,body\nx,one,two\ny,three,\n", corpus.Options{TextColumns: []string{"title", "body"}}, []string{
			`-:2 class=x id= copy=0 "two\none"`, `-:3 class=y id= copy=0 "three"`,
		}},
		{"usual columns", "label,kind,title,text\nx,y,one,two\n", usual, []string{`-:2 class=x id= copy=0 "one" kind:string=y text:string=two`}},
		{"text is the class", "text,x\na,1\n", corpus.Options{ClassColumn: "text"}, []string{`-:2 class=a id= copy=0 "" x:float64=1`}},
		{"rows of nothing", "class;x\na;1\n;\n ;\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" x:float64=1`}},
		{"no end of line", "x\n1", corpus.Options{}, []string{`-:2 class= id= copy=0 "" x:float64=1`}},
		{"semicolons", "class;x;\"y,z\"\na;1;2,5\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" x:float64=1 y,z:float64=2.5`}},
		{"decimal commas", "class;x;y\na;-1,5;1,5,2\na;3;2,5\na;1.5;x\n", corpus.Options{}, []string{
			`-:2 class=a id= copy=0 "" x:float64=-1.5 y:string=1,5,2`, `-:3 class=a id= copy=0 "" x:float64=3 y:string=2.5`, `-:4 class=a id= copy=0 "" x:float64=1.5 y:string=x`,
		}},
		{"commas between tabs", "class\tx\ty\na\t-1,5\t1,500\na\t3\t2,5\n", corpus.Options{}, []string{
			`-:2 class=a id= copy=0 "" x:float64=-1.5 y:string=1,500`, `-:3 class=a id= copy=0 "" x:float64=3 y:string=2.5`,
		}},
		{"three decimals between tabs", "x\ty\n0,125\t-0,5\n0,750\t0,x\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" x:float64=0.125 y:string=-0.5`, `-:3 class= id= copy=0 "" x:float64=0.75 y:string=0,x`,
		}},
		{"thousands", "a;b;c;d\n1.234,5;-1,234,567.8;1'234.50;1.234.567,8e1\n2,5;.5;1’000,25;-2\n1\u202f000,5;1 000.5;-1\u00a0000\u00a0000,5;+1,5\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:float64=1234.5 b:float64=-1.2345678e+06 c:float64=1234.5 d:float64=1.2345678e+07`,
			`-:3 class= id= copy=0 "" a:float64=2.5 b:float64=0.5 c:float64=1000.25 d:float64=-2`,
			`-:4 class= id= copy=0 "" a:float64=1000.5 b:float64=1000.5 c:float64=-1.0000005e+06 d:float64=1.5`,
		}},
		{"no thousands", "a;b;c;d;e;f\n1.2345,6;192.168.100.1;1,234,5;11.02.2025;.123,4;1234.567,8\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:string=1.2345,6 b:string=192.168.100.1 c:string=1,234,5 d:string=11.02.2025 e:string=.123,4 f:string=1234.567,8`,
		}},
		{"money", "a,b,c,d\n\"-24,92\",\"1,234\",\"1,5\",\"24,92\"\n\"1.024,92\",\"1,234.5\",7,\"3,5\"\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:float64=-24.92 b:float64=1234 c:string=1,5 d:string=24.92`,
			`-:3 class= id= copy=0 "" a:float64=1024.92 b:float64=1234.5 c:string=7 d:string=3,5`,
		}},
		{"minus of bookkeepers", "a,b,c,d,e\n(4.00),\"$(1,234.50)\",7-,\u22125,(5) x\n4,($3),-7 €,-(5),(5)\n1e5 $,$            3.00,0,0,0\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:float64=-4 b:float64=-1234.5 c:float64=-7 d:string=-5 e:string=(5) x`,
			`-:3 class= id= copy=0 "" a:float64=4 b:float64=-3 c:float64=-7 d:string=-(5) e:string=-5`,
			`-:4 class= id= copy=0 "" a:float64=100000 b:float64=3 c:float64=0 d:string=0 e:string=0`,
		}},
		{"thousands alone", "a,b,c,d\n\"1,234\",1'234,1.234.567,1 234\n\"12,345,678\",1\u202f234\u202f567,-2.000.000,123\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:float64=1234 b:float64=1234 c:float64=1.234567e+06 d:string=1 234`,
			`-:3 class= id= copy=0 "" a:float64=1.2345678e+07 b:float64=1.234567e+06 c:float64=-2e+06 d:string=123`,
		}},
		{"decimals and thousands", "a,b,c\n\"24,92\",\"0,125\",1.234.567\n\"1,250\",\"10,125\",1.250\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:string=24.92 b:string=0.125 c:string=1234567`,
			`-:3 class= id= copy=0 "" a:string=1250 b:string=10125 c:string=1.250`,
		}},
		{"signs", "a;b;c;d;e\n24,92 €;$1,234.50;12,5 %;$;5\u00a0%\n-1.000,00\u00a0€;-$7;100%;$5;%x\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" a:float64=24.92 b:float64=1234.5 c:float64=12.5 d:string=$ e:string=5`,
			`-:3 class= id= copy=0 "" a:float64=-1000 b:float64=-7 c:float64=100 d:string=5 e:string=%x`,
		}},
		{"bars", "class|x\na|1,5\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" x:string=1,5`}},
		{"capitals", "CLASS,Text,x\na,b,1\n", corpus.Options{ClassColumn: "class"}, []string{`-:2 class=a id= copy=0 "b" x:float64=1`}},
		{"tabs", "class\tx\ty\na\t\t1\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" y:float64=1`}},
		{"commas win", "class;x,y\na;1,2\n", corpus.Options{}, []string{`-:2 class= id= copy=0 "" class;x:string=a;1 y:float64=2`}},
		{"tabs win", "class\tx,y\na\t1\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" x,y:float64=1`}},
		{"spaces", "class , x, day\n a , 1 , \"mon\"\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" day:string=mon x:float64=1`}},
		{"missing", "x,d,b,n\n,?,NA,NaN\n1,a,yes,nan\nNA,,TRUE,NULL\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 ""`, `-:3 class= id= copy=0 "" b:bool=true d:string=a x:float64=1`, `-:4 class= id= copy=0 "" b:bool=true`,
		}},
		{"a column is what all its cells are", "x,b\n1,yes\ntwo,No\n3,1\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" b:string=yes x:string=1`, `-:3 class= id= copy=0 "" b:string=No x:string=two`, `-:4 class= id= copy=0 "" b:string=1 x:string=3`,
		}},
		{"yes and no", "b\nyes\nFalse\nTRUE\nno\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" b:bool=true`, `-:3 class= id= copy=0 "" b:bool=false`, `-:4 class= id= copy=0 "" b:bool=true`, `-:5 class= id= copy=0 "" b:bool=false`,
		}},
		{"numbers", "x\n-1.5e3\n+.5\n0x10\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" x:string=-1.5e3`, `-:3 class= id= copy=0 "" x:string=+.5`, `-:4 class= id= copy=0 "" x:string=0x10`,
		}},
		{"copies", "class,x,text\na,1,t\nb,1,t\na,1.0,t\na,1,t\na,,t\n", corpus.Options{}, []string{
			`-:2 class=a id= copy=0 "t" x:float64=1`, `-:3 class=b id= copy=1 "t" x:float64=1`, `-:4 class=a id= copy=0 "t" x:float64=1`,
			`-:5 class=a id= copy=2 "t" x:float64=1`, `-:6 class=a id= copy=0 "t"`,
		}},
		{"an id is no copy", "id,x\n1,1\n,1\n1,1\n,1\n", corpus.Options{}, []string{
			`-:2 class= id=1 copy=0 "" x:float64=1`, `-:3 class= id= copy=0 "" x:float64=1`,
			`-:4 class= id=1 copy=0 "" x:float64=1`, `-:5 class= id= copy=1 "" x:float64=1`,
		}},
		{"no part asked for", "id,class,text\n1,spam,buy now\n1,ham,buy\n", corpus.Options{NoIDs: true, NoTexts: true, NoClasses: true}, []string{
			`-:2 class= id= copy=0 "" class:string=spam id:float64=1 text:string=buy now`, `-:3 class= id= copy=0 "" class:string=ham id:float64=1 text:string=buy`,
		}},
		{"all ways to say nothing", "x,y\n1,n/a\nna,2\nN/A,-\nNone,none\n", corpus.Options{}, []string{
			`-:2 class= id= copy=0 "" x:float64=1`, `-:3 class= id= copy=0 "" y:float64=2`, `-:4 class= id= copy=0 ""`, `-:5 class= id= copy=1 ""`,
		}},
		{"a stated separator", "sep=;\r\nx;y,z\r\n1;2\r\n", corpus.Options{}, []string{`-:3 class= id= copy=0 "" x:float64=1 y,z:float64=2`}},
		{"carriage returns alone", "x,class\r1,\xe9\r\r2,b\r", corpus.Options{}, []string{`-:2 class=é id= copy=0 "" x:float64=1`, `-:4 class=b id= copy=0 "" x:float64=2`}},
		{"a carriage return in a cell", "x,y\n1,a\rb\n", corpus.Options{}, []string{`-:2 class= id= copy=0 "" x:float64=1 y:string=a` + "\rb"}},
		{"UTF-16 without a mark", "x\x00;\x00y\x00\r\x00\n\x001\x00;\x00\xe9\x00\n\x00", corpus.Options{}, []string{`-:2 class= id= copy=0 "" x:float64=1 y:string=é`}},
		{"the other order of bytes", "\x00x\x00\n\x001\x00\n", corpus.Options{}, []string{`-:2 class= id= copy=0 "" x:float64=1`}},
		{"a column called sep", "sep=\n1\n", corpus.Options{}, []string{`-:2 class= id= copy=0 "" sep=:float64=1`}},
		{"Windows-1252", "class,caf\xe9,text\n\x80,cr\xe8me,\xe9\n", corpus.Options{}, []string{`-:2 class=€ id= copy=0 "\xe9" café:string=crème`}},
		{"columns without a name", ",class,,x,\n0,a,b,1,c\n", corpus.Options{}, []string{`-:2 class=a id= copy=0 "" x:float64=1`}},
		{"quotes as letters between tabs", "class\ttext\n\na\t\"win\nb\tsee\nc\tnow\"\n\nd\t\"5\" wide\"\r\ne\t\"two\nlines\"\nf\t\"", corpus.Options{}, []string{
			"-:3 class=a id= copy=0 \"\\\"win\"", "-:4 class=b id= copy=0 \"see\"", "-:5 class=c id= copy=0 \"now\\\"\"",
			"-:7 class=d id= copy=0 \"5\\\" wide\"", "-:8 class=e id= copy=0 \"two\\nlines\"", "-:10 class=f id= copy=0 \"\\\"\"",
		}},
		{"empty lines", "\nx,y\n\n1,2\n\n", corpus.Options{}, []string{`-:4 class= id= copy=0 "" x:float64=1 y:float64=2`}},
	}
	for _, tt := range tests {
		got, err := rows(tt.in, tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%s: got\n  %s\nwant\n  %s", tt.name, strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
		}
	}
}

func TestCSVRefused(t *testing.T) {
	tests := []struct {
		name, in string
		o        corpus.Options
		want     string
		rows     int
	}{
		{"nothing", "", corpus.Options{}, "-: no header row", 0},
		{"only a header", "a,b\n", corpus.Options{}, "no documents found", 0},
		{"two columns of a name", "a,b, a\n1,2,3\n", corpus.Options{}, `-:1: header row: two columns are called "a"`, 0},
		{"no class column", "a,b\n1,2\n", corpus.Options{ClassColumn: "class"}, `-:1: header row: no column "class" for the class: there are "a", "b"`, 0},
		{"no text column", "a,b\n1,2\n", corpus.Options{TextColumns: []string{"body"}}, `no column "body" for the text`, 0},
		{"no id column", "a,b\n1,2\n", corpus.Options{IDColumn: "key"}, `no column "key" for the id`, 0},
		{"one column twice", "a,b\n1,2\n", corpus.Options{IDColumn: "a", ClassColumn: "a"}, "cannot be two of class, text and id", 0},
		{"too few cells", "a,b\n1,2\n3\n4,5\n", corpus.Options{}, "-:3: a row of 1 below a header row of 2 cells", 2},
		{"too many", "a,b\n1,2\n3,4,5\n4,5\n", corpus.Options{}, "-:3: a row of 3 below a header row of 2 cells", 2},
		{"a bare quote", "a,b\n1,2\n3,4\"x\n4,5\n", corpus.Options{}, "-:3: a quote that is not where a cell begins or ends", 2},
		{"an open quote", "a,b\n1,2\n3,\"x\n4,5\n", corpus.Options{}, "-:3: a quote that is not closed, or not where a cell ends: up to line 4 all is left out", 1},
		{"beyond numbers", "a\n1\n1e999\n2\n", corpus.Options{}, `-:3: column "a": 1e999 is beyond the numbers`, 2},
		{"infinite", "a\n1\n-Inf\n2\n", corpus.Options{}, `-:3: column "a": -Inf is beyond the numbers`, 2},
		{"quotes as letters, and a tab too many", "a\tb\n1\t\"2\t3\n4\t\"5\n", corpus.Options{}, "-:2: a row of 3 below a header row of 2 cells", 1},
		{"wrong below a stated separator", "sep=;\na;b\n1;2\n3\n", corpus.Options{}, "-:4: a row of 1 below a header row of 2 cells", 1},
		{"a bare quote below one", "sep=;\na;b\n1;2\n3;4\"x\n", corpus.Options{}, "-:4: a quote that is not where", 1},
		{"too many columns", strings.Repeat("a,", 4099) + "a\n" + strings.Repeat("1,", 4099) + "1\n", corpus.Options{}, "-:1: more than 4099 columns: a document may have 4096 attributes", 0},
		{"too wide", "a,b\n1,2\n\"3" + strings.Repeat("\n\",\"", 5000) + "\"\n4,5\n", corpus.Options{}, "-:2: this row or the next has more than 68157440 bytes, or more than 4099 cells: is a quote not closed?", 0},
		{"too wide a header", strings.Repeat("a,", 9000) + "b\n1,2\n", corpus.Options{}, "-:1: this row or the next has more than", 0},
		{"a row without end", "a,b\n1,2\n3,\"" + strings.Repeat("x", 4<<20), corpus.Options{MaxBytes: 1 << 20}, "-:2: this row or the next has more than 2097152 bytes, or", 0},
	}
	for _, tt := range tests {
		got, err := rows(tt.in, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if len(got) != tt.rows {
			t.Errorf("%s: %d documents, want %d: %v", tt.name, len(got), tt.rows, got)
		}
	}
}

// Tables are known by their names, and read from files, folders and pipes alike.
func TestTablesInFolders(t *testing.T) {
	dir := tree(t, map[string]string{
		"spam/a.csv": "class,x\nham,1\n", "ham/b.TSV": "x\ty\n1\t2\n", "ham/c": "x,y\n1,2\n", "ham/d.txt": "x,y\n1,2\n",
	})
	got, err := walk(t, dir, corpus.Options{})
	if err != nil {
		t.Error(err)
	}
	equal(t, got, []string{"ham/b.TSV:2 text", "ham/c text", "ham/d.txt text", "spam/a.csv:2 text ham"})
	got = nil
	if err := corpus.Folders(context.Background(), dir, corpus.Options{}, collector(dir, &got)); err != nil {
		t.Error(err)
	}
	equal(t, got, []string{"ham/b.TSV:2 text ham", "ham/c text ham", "ham/d.txt text ham", "spam/a.csv:2 text spam"})
	f, err := os.Open(filepath.Join(dir, "spam", "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, in := range map[string]io.Reader{"a file": f, "a pipe": io.MultiReader(strings.NewReader("class,x\nham,1\n"))} {
		docs, err := stream(in, corpus.Options{Format: corpus.CSV})
		if err != nil || len(docs) != 1 || docs[0].Class != "ham" || shown(docs[0].Attributes) != "x:float64=1" {
			t.Errorf("standard input from %s: %+v, %v", name, docs, err)
		}
	}
}

func TestCSVStopsAtOnce(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	err := corpus.Walk(context.Background(), "-", corpus.Options{Format: corpus.CSV, Stdin: strings.NewReader("x\n1\n2\n3\n")},
		func(*corpus.Document) error { n++; return enough })
	if err != enough || n != 1 {
		t.Errorf("%d calls, %v", n, err)
	}
	got, err := stream(failing("x\n1\n"), corpus.Options{Format: corpus.CSV})
	if err == nil || !strings.Contains(err.Error(), "disk on fire") || len(got) != 0 {
		t.Errorf("a pipe that breaks: %d documents, %v", len(got), err)
	}
}

// A cell keeps its text, by which a row is known that was learned with categories.
func TestTextOfCommas(t *testing.T) {
	for table, want := range map[string]string{
		"class\tx\na\t2,5\n": "2,5", "class;x\na;2,5\n": "2.5", "class;x\na;1.002,5\n": "1.002,5", "class,x\na,\"2,50\"\n": "2,50", "x;y\n2,5 €;\n": "2,5 €", "x\n\"1,002.5\"\n": "1,002.5",
	} {
		got, err := stream(strings.NewReader(table), corpus.Options{Format: corpus.CSV})
		number := 2.5
		if strings.Contains(table, "002") {
			number = 1002.5
		}
		if err != nil || len(got) != 1 || len(got[0].Attributes) != 1 || got[0].Attributes[0].Value != number || got[0].Attributes[0].Text != want {
			t.Errorf("%q: %+v, %v", table, got, err)
		}
	}
}

// Any bytes are read without a panic, each document has its attributes in order of
// name, and a table that encoding/csv writes comes back.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("class,text,x\na,\"b\nc\",1\n"), "x", "y")
	f.Add([]byte("\ufeffa;b\r\n1;\"\n"), "\"", ",\n")
	f.Add([]byte("a\t\n1e999\t?\n"), "NA", " ")
	f.Fuzz(func(t *testing.T, table []byte, a, b string) {
		got, err := stream(bytes.NewReader(table), corpus.Options{Format: corpus.CSV})
		checkErrors(t, err)
		for _, d := range got {
			for i, x := range d.Attributes {
				if i > 0 && d.Attributes[i-1].Name >= x.Name || x.Name == "" || x.Text == "" {
					t.Fatalf("%+v", d.Attributes)
				}
			}
		}
		a, b = strings.ReplaceAll(a, "\r", ""), strings.ReplaceAll(b, "\r", "") // which csv.Reader drops before \n
		b = strings.ToValidUTF8(b, "?")                                         // as a class is
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		if w.WriteAll([][]string{{"text", "class", "n,"}, {a, b, "1"}, {"_" + a, "_" + b, "word"}}) != nil {
			t.Fatal(w.Error())
		}
		docs, err := stream(&out, corpus.Options{Format: corpus.CSV})
		if err != nil || len(docs) != 2 {
			t.Fatalf("%q and %q: %d documents, %v", a, b, len(docs), err)
		}
		if d := docs[1]; string(d.Content) != "_"+a || d.Class != strings.TrimSpace("_"+b) || shown(d.Attributes) != "n,:string=word" {
			t.Errorf("%q and %q came back as %+v", a, b, d)
		}
	})
}

func TestValue(t *testing.T) {
	for cell, want := range map[string]any{
		" 1.50 ": 1.5, "yes": true, "FALSE": false, "mon": "mon", "1,5": "1,5", "0x10": "0x10", "1_000": "1_000", "": nil, "NA": nil, "na": nil, "NaN": nil, "?": nil,
		"n/a": nil, "N/A": nil, "-": nil, "None": nil, "NULL": nil, "#N/A": nil, "<NA>": nil, "n.a.": nil, "--": "--", "nay": "nay",
	} {
		if got, err := corpus.Value(cell); got != want || err != nil {
			t.Errorf("%q: %v, %v, want %v", cell, got, err, want)
		}
	}
	for _, cell := range []string{"1e999", "-inf", "Infinity"} {
		if got, err := corpus.Value(cell); got != nil || err == nil || !strings.Contains(err.Error(), "beyond the numbers") {
			t.Errorf("%q: %v, %v", cell, got, err)
		}
	}
}

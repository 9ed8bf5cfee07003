package filing

import (
	"testing"

	"pgregory.net/rapid"
)

var (
	inbox = &Folder{Name: "INBOX", Inbox: true, Class: "inbox"}
	bare  = &Folder{Name: "INBOX", Inbox: true}
	work  = &Folder{Name: "Work", Class: "work", New: File, Precision: .9}
	junk  = &Folder{Name: "Junk", Class: "spam", New: File, Precision: .99, Junk: true}
	lists = &Folder{Name: "Lists", Class: "lists", New: Leave}
	trash = &Folder{Name: "Trash"}
)

func TestDecide(t *testing.T) {
	t.Parallel()
	type known = Record
	none, at := Learned{}, func(f *Folder) known { return known{Folder: f.Name} }
	as := func(class string) Learned { return Learned{Class: class} }
	for name, c := range map[string]struct {
		sight   Sight
		known   known
		learned Learned
		want    Step
	}{
		"lies in a folder at first":           {Sight{Folder: work}, known{}, none, Step{Learn, "work", at(work)}},
		"is learned so already":               {Sight{Folder: work}, known{}, as("work"), Step{Record: at(work)}},
		"was learned by itself":               {Sight{Folder: work}, known{}, Learned{"work", true}, Step{Learn, "work", at(work)}},
		"lies elsewhere than it is learned":   {Sight{Folder: work}, known{}, as("spam"), Step{Learn, "work", at(work)}},
		"is moved":                            {Sight{Folder: lists}, at(work), as("work"), Step{Learn, "lists", at(lists)}},
		"is copied":                           {Sight{Folder: lists, Elsewhere: true}, at(work), as("work"), Step{Learn, "lists", at(lists)}},
		"stays":                               {Sight{Folder: work}, at(work), as("spam"), Step{Record: at(work)}},
		"was filed":                           {Sight{Folder: work}, known{Folder: "Work", Stage: Filing}, none, Step{Record: at(work)}},
		"was filed and moved":                 {Sight{Folder: lists}, at(work), none, Step{Learn, "lists", at(lists)}},
		"was to be filed and is moved":        {Sight{Folder: lists}, known{Folder: "Work", Stage: Filing}, none, Step{Learn, "lists", at(lists)}},
		"was to be filed, perhaps":            {Sight{Folder: inbox, Fresh: true}, known{Folder: "Work", Stage: Filing}, none, Step{Record: known{Folder: "INBOX", Stage: Waiting}}},
		"was to be filed, perhaps, and read":  {Sight{Folder: inbox, Read: true}, known{Folder: "Work", Stage: Filing}, none, Step{Learn, "inbox", at(inbox)}},
		"was filed and comes again":           {Sight{Folder: inbox, Fresh: true, Elsewhere: true}, at(work), none, Step{Record: at(work)}},
		"is left when a copy is gone":         {Sight{Folder: work, Before: true}, at(lists), as("lists"), Step{Learn, "work", at(work)}},
		"is left in the inbox, read":          {Sight{Folder: inbox, Before: true, Read: true}, at(work), none, Step{Learn, "inbox", at(inbox)}},
		"is left in the inbox":                {Sight{Folder: inbox, Before: true}, at(work), none, Step{Record: known{Folder: "INBOX", Stage: Waiting}}},
		"is put back by the name that it had": {Sight{Folder: inbox, Before: true}, at(work), as("work"), Step{Learn, "inbox", at(inbox)}},
		"was to be learned":                   {Sight{Folder: work}, known{Folder: "Work", Stage: Learning}, none, Step{Learn, "work", at(work)}},
		"is new":                              {Sight{Folder: inbox, Fresh: true}, known{}, none, Step{Act: Ask, Record: known{Folder: "INBOX", Stage: Waiting}}},
		"is new and learned by itself":        {Sight{Folder: inbox, Fresh: true}, known{}, Learned{"work", true}, Step{Act: Ask, Record: known{Folder: "INBOX", Stage: Waiting}}},
		"is new and taught":                   {Sight{Folder: inbox, Fresh: true}, known{}, as("work"), Step{Record: at(inbox)}},
		"was there before":                    {Sight{Folder: inbox}, known{}, none, Step{Record: known{Folder: "INBOX", Stage: Waiting}}},
		"was there before, read":              {Sight{Folder: inbox, Read: true}, known{}, none, Step{Learn, "inbox", at(inbox)}},
		"is read":                             {Sight{Folder: inbox, Read: true}, known{Folder: "INBOX", Stage: Waiting}, none, Step{Learn, "inbox", at(inbox)}},
		"is read and taught":                  {Sight{Folder: inbox, Read: true}, known{Folder: "INBOX", Stage: Waiting}, as("work"), Step{Record: at(inbox)}},
		"is put back":                         {Sight{Folder: inbox}, at(work), as("work"), Step{Learn, "inbox", at(inbox)}},
		"is put back, and teaches nothing":    {Sight{Folder: bare}, at(work), as("work"), Step{Forget, "work", known{Folder: "INBOX", Class: "work"}}},
		"was to be forgotten":                 {Sight{Folder: bare}, known{Folder: "INBOX", Stage: Learning, Class: "work"}, as("work"), Step{Forget, "work", known{Folder: "INBOX", Class: "work"}}},
		"was forgotten":                       {Sight{Folder: bare}, known{Folder: "INBOX", Stage: Learning, Class: "work"}, none, Step{Record: at(bare)}},
		"is put back, and is something else":  {Sight{Folder: bare}, at(work), as("spam"), Step{Record: at(bare)}},
		"was to be moved, and is put back":    {Sight{Folder: bare}, known{Folder: "Lists", Stage: Learning}, as("work"), Step{Forget, "work", known{Folder: "INBOX", Class: "work"}}},
		"is deleted":                          {Sight{Folder: trash}, at(work), as("work"), Step{Record: known{Folder: "Trash", Stage: Waiting}}},
		"is in a folder that has a class now": {Sight{Folder: work}, known{Folder: "Work", Stage: Waiting}, as("spam"), Step{Learn, "work", at(work)}},
		"is delivered again":                  {Sight{Folder: inbox, Fresh: true, Delivered: 9}, known{Folder: "Work", Delivered: 8}, as("work"), Step{Act: Ask, Record: known{Folder: "INBOX", Stage: Waiting, Delivered: 9}}},
		"is delivered again, beside itself":   {Sight{Folder: inbox, Fresh: true, Elsewhere: true, Delivered: 9}, known{Folder: "Work", Delivered: 8}, none, Step{Act: Ask, Record: known{Folder: "Work", Delivered: 9}}},
		"is delivered again, and read":        {Sight{Folder: inbox, Read: true, Fresh: true, Delivered: 9}, known{Folder: "Work", Delivered: 8}, none, Step{Learn, "inbox", known{Folder: "INBOX", Delivered: 9}}},
		"comes twice":                         {Sight{Folder: inbox, Fresh: true, Elsewhere: true}, known{Folder: "INBOX", Stage: Waiting}, none, Step{Act: Ask, Record: known{Folder: "INBOX", Stage: Waiting}}},
		"comes twice, and is taught":          {Sight{Folder: inbox, Fresh: true, Elsewhere: true}, at(inbox), as("inbox"), Step{Record: at(inbox)}},
		"comes again, and is taught":          {Sight{Folder: inbox, Fresh: true, Delivered: 9}, known{Folder: "INBOX", Delivered: 8}, as("inbox"), Step{Act: Ask, Record: known{Folder: "INBOX", Stage: Waiting, Delivered: 9}}},
		"comes again, while one is learned":   {Sight{Folder: inbox, Fresh: true, Delivered: 9}, known{Folder: "INBOX", Stage: Learning, Delivered: 8}, none, Step{Learn, "inbox", known{Folder: "INBOX", Delivered: 9}}},
		"waits in the inbox":                  {Sight{Folder: inbox, Fresh: true, Elsewhere: true, Before: true}, known{Folder: "INBOX", Stage: Waiting}, none, Step{Record: known{Folder: "INBOX", Stage: Waiting}}},
		"is put back unread":                  {Sight{Folder: inbox, Fresh: true, Delivered: 8}, known{Folder: "Work", Delivered: 8}, none, Step{Learn, "inbox", known{Folder: "INBOX", Delivered: 8}}},
		"is saved":                            {Sight{Folder: work}, at(trash), none, Step{Learn, "work", at(work)}},
	} {
		rules := Rules{trash, work, junk, lists, inbox}
		if c.sight.Folder == bare {
			rules[4] = bare
		}
		if got := rules.Decide(c.sight, c.known, c.learned); got != c.want {
			t.Errorf("what %s: %+v, want %+v", name, got, c.want)
		}
	}
}

// What holds of every message: only unread new mail is asked about of which nothing is known, or
// that is delivered again; nothing is learned but what the folder holds, or in an inbox that has no class; and what was decided
// once has nothing left to do.
func TestDecideAlways(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom([]*Folder{inbox, bare}).Draw(t, "inbox")
		rules := Rules{trash, work, junk, lists, in}
		names := []string{"", "Gone"}
		for _, f := range rules {
			names = append(names, f.Name)
		}
		s := Sight{Folder: rapid.SampledFrom(rules).Draw(t, "folder"), Read: rapid.Bool().Draw(t, "read"), Fresh: rapid.Bool().Draw(t, "fresh"),
			Elsewhere: rapid.Bool().Draw(t, "elsewhere"), Before: rapid.Bool().Draw(t, "before"),
			Delivered: rapid.Int64Range(0, 2).Draw(t, "delivered")}
		k := Record{
			Folder: rapid.SampledFrom(names).Draw(t, "known"), Stage: Stage(rapid.IntRange(0, 3).Draw(t, "stage")),
			Class: rapid.SampledFrom([]string{"", "work", "spam"}).Draw(t, "as"), Delivered: rapid.Int64Range(0, 2).Draw(t, "before that"),
		}
		l := Learned{rapid.SampledFrom([]string{"", "work", "spam", "lists", "inbox", "other"}).Draw(t, "class"), rapid.Bool().Draw(t, "auto")}
		if k.Folder == "" {
			k, s.Elsewhere = Record{}, false
		}
		got := rules.Decide(s, k, l)
		switch got.Act {
		case Ask:
			again := k.Delivered > 0 && s.Delivered > k.Delivered || k.Folder == s.Folder.Name && k.Stage == Waiting && s.Elsewhere && !s.Before
			if !s.Folder.Inbox || s.Read || !s.Fresh || !again && (k != (Record{}) || l.Class != "" && !l.Auto) {
				t.Fatalf("asked about %+v, %+v, %+v", s, k, l)
			}
		case Learn:
			if got.Class != s.Folder.Class || got.Class == "" {
				t.Fatalf("%+v is learned as %q", s, got.Class)
			}
			if s.Folder.Inbox && !s.Read && (k.Folder == "" || k.Folder != s.Folder.Name && k.Stage != Filing && k.Delivered > 0 && s.Delivered > k.Delivered) {
				t.Fatal("unread mail is learned")
			}
		case Forget:
			if s.Folder != bare || got.Class != l.Class {
				t.Fatalf("%+v is forgotten as %q, learned as %q", s, got.Class, l.Class)
			}
		}
		if got.Record.Folder != s.Folder.Name {
			return
		}
		switch { // as it is once that is done
		case got.Act == Learn:
			l = Learned{Class: got.Class}
		case got.Act == Forget:
			l = Learned{}
		}
		s.Before = s.Before || got.Act == Ask
		again := rules.Decide(s, got.Record, l)
		if again.Act != Nothing && !(again.Act == Learn && got.Record.Stage == Waiting && s.Read) {
			t.Fatalf("%+v again: first %+v, then %+v", s, got, again)
		}
	})
}

func TestOf(t *testing.T) {
	t.Parallel()
	rules := Rules{inbox, trash, work, junk, lists}
	for _, c := range []struct {
		answer Answer
		want   *Folder
	}{
		{Answer{Class: "work", Precision: .9, Unsure: false}, work}, {Answer{Class: "work", Precision: .89, Unsure: false}, nil}, {Answer{Class: "work", Precision: 1, Unsure: true}, nil}, {Answer{Class: "spam", Precision: .99, Junk: true}, junk}, {Answer{Class: "spam", Precision: 1, Probability: .999}, nil},
		{Answer{Class: "lists", Precision: 1, Unsure: false}, nil}, {Answer{Class: "inbox", Precision: 1, Unsure: false}, nil}, {Answer{Class: "", Precision: 1, Unsure: false}, nil}, {Answer{Class: "other", Precision: 1, Unsure: false}, nil},
	} {
		if got := rules.Of(c.answer); got != c.want {
			t.Errorf("%+v: %+v", c.answer, got)
		}
	}
}

// Decisions measures what polya does with its ranking under everyday conditions.
//
//	decisions labels [-draws N] DIR    wrong labels: DIR has folders ham and spam
//	decisions few [-draws N] DIR       few documents learned: the same
//	decisions folders DIR              a mailbox in order of time: DIR has order.txt
//	decisions junk DIR                 a Junk folder in order of time: DIR has order.txt
//	decisions redrawn TRAIN TEST       many classes, a share of the labels drawn anew
//	decisions sure TRAIN TEST          errors of sure answers, made and announced
//	decisions classes                  very many classes of made documents
//
// Documents are drawn with a fixed seed, and nothing is asked that was learned.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	commands := map[string]func(args []string) error{
		"labels": labels, "few": few, "folders": folders, "junk": junk, "redrawn": redrawn, "sure": sure, "classes": classes,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		log.Fatal("usage: decisions labels|few|folders|junk|redrawn|sure|classes [-draws N] DIR [DIR]")
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// flagsOf parses the arguments of a command that takes this many folders.
func flagsOf(name string, args []string, folders int) (draws int, dirs []string, err error) {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.IntVar(&draws, "draws", 3, "how often documents are drawn")
	if err := f.Parse(args); err != nil {
		return 0, nil, err
	}
	if f.NArg() != folders {
		return 0, nil, fmt.Errorf("%s: want %d folders, not %d", name, folders, f.NArg())
	}
	return draws, f.Args(), nil
}

package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// errTwice is the error of a process that came second.
var errTwice = errors.New("another process is this node, and began before this one")

// show says which node this process is, and when it began.
func (n *Node) show() {
	_ = n.conn.Publish(subject(n.config, "here"), []byte(n.config.Name+" "+n.born)) // the next time, if there is no connection now
}

// meet hears of a process. Servers of one name do not connect to each other, so a third
// tells the second process of the first, when it hears the first after the second.
func (n *Node) meet(m *nats.Msg) {
	name, born, _ := strings.Cut(string(m.Data), " ")
	switch {
	case name == n.config.Name:
		n.yield(born)
	case born < n.met[name]:
		_ = n.conn.Publish(subject(n.config, "name."+name), []byte(born))
	case slices.Contains(n.config.Nodes, name):
		n.met[name] = born
	}
}

// yield ends this process if that which began at a time has its name and was first: servers of one
// name would vote as one, and a question to all nodes would be answered by either.
func (n *Node) yield(born string) {
	if born < n.born {
		n.stop(fmt.Errorf("%w: %s of fleet %s", errTwice, n.config.Name, n.config.Fleet))
	}
}

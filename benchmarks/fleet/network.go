//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// network has an address for each node. For root each node has a network namespace of its
// own, joined to the others by a bridge, so that a cable can be pulled: packets are then
// lost silently. Without root all nodes are on loopback.
type network struct {
	prefix string // of the names of namespaces; "" on loopback
	nodes  int
}

// newNetwork makes the network of so many nodes; close removes it. It is loopback if
// requested, or if nothing else is possible.
func newNetwork(nodes int, loopback bool) (*network, error) {
	n := &network{nodes: nodes}
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 || loopback {
		return n, nil
	}
	n.prefix = fmt.Sprintf("pf%d", os.Getpid()%100_000)
	commands := []string{"link add PREFIXb type bridge", "link set PREFIXb up"}
	for i := range nodes {
		commands = append(commands, fmt.Sprintf("netns add PREFIXn%d", i),
			fmt.Sprintf("link add PREFIXv%d type veth peer name eth0 netns PREFIXn%[1]d", i),
			fmt.Sprintf("link set PREFIXv%d master PREFIXb up", i),
			fmt.Sprintf("-n PREFIXn%d address add %s/24 dev eth0", i, n.address(i)),
			fmt.Sprintf("-n PREFIXn%d link set eth0 up", i),
			fmt.Sprintf("-n PREFIXn%d link set lo up", i))
	}
	for _, c := range commands {
		if err := n.ip(c); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	return n, nil
}

// ip runs the program ip.
func (n *network) ip(command string) error {
	command = strings.ReplaceAll(command, "PREFIX", n.prefix)
	if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", command, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// canCut reports whether cables can be pulled.
func (n *network) canCut() bool { return n.prefix != "" }

func (n *network) address(node int) string {
	if n.prefix == "" {
		return "127.0.0.1"
	}
	return fmt.Sprintf("10.77.0.%d", node+1)
}

// command returns a command that runs in the network of a node.
func (n *network) command(node int, name string, args ...string) *exec.Cmd {
	if n.prefix == "" {
		return exec.Command(name, args...)
	}
	return exec.Command("ip", append([]string{"netns", "exec", fmt.Sprint(n.prefix, "n", node), name}, args...)...)
}

// cut pulls the cable of a node, and heal plugs it in.
func (n *network) cut(node int) error  { return n.ip(fmt.Sprintf("link set PREFIXv%d down", node)) }
func (n *network) heal(node int) error { return n.ip(fmt.Sprintf("link set PREFIXv%d up", node)) }

func (n *network) close() error {
	if n.prefix == "" {
		return nil
	}
	var errs []error
	for i := range n.nodes {
		errs = append(errs, n.ip(fmt.Sprintf("netns delete PREFIXn%d", i)))
	}
	return errors.Join(append(errs, n.ip("link delete PREFIXb"))...)
}

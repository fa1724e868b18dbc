package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// parse reads the flags. It writes their faults to errs.
func parse(args []string, errs io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("explore", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.world, "world", "", "a world, as pair, or a scope, as pair/call; all that are meant for each change if empty")
	f.BoolVar(&o.nightly, "nightly", false, "the large scopes too")
	f.StringVar(&o.revision, "revision", "", "the newest revision that the clients speak, one with sessions; the world relay does not heed it")
	f.StringVar(&o.replay, "replay", "", "replay this trace, in the scope that -world names")
	f.DurationVar(&o.walk, "walk", 0, "walk at random instead, in each scope for so long")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of walks")
	f.IntVar(&o.length, "length", 300, "the most steps of a walk")
	f.BoolVar(&o.compare, "compare", false, "hold the form against that of snapshots, in the worlds pair and catalog")
	f.BoolVar(&o.folds, "folds", false, "go through the nodes that the world pair takes for one, and hold that they go on alike")
	f.StringVar(&o.plant, "plant", "", "put the faults of this file into the product, one after the other, and look for each with the other flags: docs/proof.md")
	f.BoolVar(&o.reached, "reached", false, "list what was reached")
	f.Uint64Var(&o.lim.States, "states", 0, "stop in each scope after about so many states, or steps of walks; 0 is without limit")
	f.DurationVar(&o.lim.Time, "time", 0, "stop in each scope after so long; 0 is without limit")
	f.BoolVar(&o.lim.Stop, "stop", false, "stop in each scope at the first fault")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	set := map[string]bool{}
	f.Visit(func(x *flag.Flag) {
		if set[x.Name] = true; x.Name != "plant" {
			o.others = append(o.others, "-"+x.Name+"="+x.Value.String())
		}
	})
	err := o.check(f.Args(), set)
	if err != nil {
		say(errs, "explore: %v\n", err)
	}
	return o, err
}

// check reports what is wrong with the flags. set has the given ones.
func (o *options) check(rest []string, set map[string]bool) error {
	modes := 0
	for _, name := range []string{"replay", "walk", "compare", "folds"} {
		if set[name] {
			modes++
		}
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q; a trace is one argument, in quotes", rest[0])
	case modes > 1:
		return errors.New("-replay, -walk, -compare and -folds exclude each other")
	case set["replay"] && strings.TrimSpace(o.replay) == "":
		return errors.New("-replay is empty; want steps, as -replay 'initialize; deliver'")
	case set["walk"] && o.walk <= 0:
		return fmt.Errorf("-walk %v: want a time above zero", o.walk)
	case o.length < 1:
		return fmt.Errorf("-length %d: want at least 1", o.length)
	case o.lim.Time < 0:
		return fmt.Errorf("-time %v: want a time that is not negative", o.lim.Time)
	case set["walk"] && set["time"]:
		return errors.New("-walk and -time exclude each other; -walk says how long")
	case o.compare && !strings.HasPrefix(o.world+"/", "pair/") && !strings.HasPrefix(o.world+"/", "catalog/"):
		return errors.New("-compare: there is nothing to compare with but in -world pair, -world catalog, or a scope of them")
	case o.folds && !strings.HasPrefix(o.world+"/", "pair/"):
		return errors.New("-folds: nodes are taken for one in -world pair alone, or a scope of it")
	case o.revision != "":
		if rev, ok := protocol.ParseRevision(o.revision); ok && rev.Handshake() {
			return nil
		}
		var names []string
		for _, rev := range protocol.Revisions() {
			names = append(names, rev.String())
		}
		return fmt.Errorf("-revision %s: the worlds have sessions; want %s", o.revision, strings.Join(names, ", "))
	}
	return nil
}

package many

import "fmt"

// setups are the set-ups, by name.
var setups = []struct {
	name string
	run  func(Options) (Report, error)
}{
	{"manager", Manager},
	{"calls", Calls},
	{"relay", Relay},
	{"cycles", Cycles},
}

// Setups returns the names of the set-ups.
func Setups() (names []string) {
	for _, s := range setups {
		names = append(names, s.name)
	}
	return names
}

// Run runs a set-up. A violation is a *Failure.
func Run(setup string, opt Options) (Report, error) {
	for _, s := range setups {
		if s.name == setup {
			return s.run(opt)
		}
	}
	return Report{}, fmt.Errorf("many: no set-up %q", setup)
}

// Alike runs a set-up four times and compares the traces: normally, with restored machines, and
// with silent servers first. None of this may change anything for the others.
func Alike(setup string, opt Options) (Report, error) {
	opt.Exact, opt.Trace, opt.Restore, opt.Extra = true, true, 0, ""
	sum, err := Run(setup, opt)
	if err != nil {
		return sum, err
	}
	plain := sum
	for _, change := range []func(*Options){
		func(o *Options) { o.Restore = 20 },
		func(o *Options) { o.Extra = "silent" },
		func(o *Options) { o.Extra = "hushed" },
	} {
		o := opt
		change(&o)
		r, err := Run(setup, o)
		if err != nil {
			return sum, err
		}
		if err := Compare(plain, r); err != nil {
			return sum, fmt.Errorf("%s, seed %d, restored %d, with %q: %w", setup, opt.Seed, o.Restore, o.Extra, err)
		}
		sum.Add(r)
	}
	return sum, nil
}

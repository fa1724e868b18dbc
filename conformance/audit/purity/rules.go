package purity

// Rules says what Check looks at and what it looks for.
type Rules struct {
	// Packages are the packages to check, as patterns that go list knows,
	// relative to the directory given to Check.
	Packages []string
	// Skip are the directories, relative to the one given to Check, that
	// are left out with all below them, whatever Packages says.
	Skip []string
	// Drivers are the directories, relative to the one given to Check, whose packages do
	// I/O: of the rules only load, order, directive and, for what is outside of the
	// standard library, import hold for them and all below them. Layers say who may
	// import them.
	Drivers []string
	// Standard are the packages of the standard library that may be imported:
	// from a directory, relative to the one given to Check, to import paths,
	// each of which stands for itself alone. The longest directory counts for
	// a package, "." for all that lies in none of the others. What is in no
	// list is forbidden.
	Standard map[string][]string
	// Names are the packages of which only some identifiers may be used, with
	// the names of these.
	Names map[string][]string
	// Functions are functions, methods, variables and types that may not
	// be used, with the reason. They are written as time.Now and
	// (time.Time).Local, with the full import path.
	Functions map[string]string
	// Layers are the directories of the module that have a place in its
	// order. Imports between packages that are in no layer, or from them,
	// are not looked at.
	Layers []Layer
	// Unordered are types whose values may not be compared by order outside
	// of the package that declares them, written with the full import path.
	Unordered []string
}

// Layer is a directory that holds one or more packages, and what they may
// import from the same module. A package belongs to the layer with the longest
// Dir that fits.
type Layer struct {
	// Dir is relative to the directory given to Check. It stands for all
	// directories below it, except those that are a Layer themselves.
	Dir string
	// Imports are the Dirs of the layers whose packages may be imported
	// here. Packages of the same layer may import each other.
	Imports []string
}

// Default returns the rules that hold for any package that does no I/O. It
// names no packages, layers or unordered types, and allows no package of the
// standard library. The caller may change what it gets.
func Default() Rules {
	const (
		clock   = "looks at the machine's clock"
		zone    = "depends on the machine's time zone"
		console = "uses the console"
	)
	return Rules{
		// A context is a value of its caller: to make one that ends takes a
		// channel or a clock.
		Names: map[string][]string{
			"context": {"Background", "Canceled", "Cause", "Context", "DeadlineExceeded"},
		},
		Functions: map[string]string{
			"time.Now":          clock,
			"time.Since":        clock,
			"time.Until":        clock,
			"time.Sleep":        clock,
			"time.After":        clock,
			"time.AfterFunc":    clock,
			"time.Tick":         clock,
			"time.NewTimer":     clock,
			"time.NewTicker":    clock,
			"time.Timer":        clock,
			"time.Ticker":       clock,
			"time.Local":        zone,
			"time.LoadLocation": zone,
			"time.Unix":         zone,
			"time.UnixMilli":    zone,
			"time.UnixMicro":    zone,
			"(time.Time).Local": zone,
			"fmt.Print":         console,
			"fmt.Printf":        console,
			"fmt.Println":       console,
			"fmt.Scan":          console,
			"fmt.Scanf":         console,
			"fmt.Scanln":        console,
			"iter.Pull":         "starts a coroutine",
			"iter.Pull2":        "starts a coroutine",
		},
	}
}

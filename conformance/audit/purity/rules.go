package purity

// Rules say what Check checks.
type Rules struct {
	// Packages are the packages to check, as patterns of go list,
	// relative to the directory passed to Check.
	Packages []string
	// Skip are the directories, relative to the one passed to Check, that
	// are skipped with all below them, whatever Packages says.
	Skip []string
	// Drivers are the directories, relative to the one passed to Check, whose packages do
	// I/O: only the rules load, order, directive and, outside of the
	// standard library, import apply to them and all below them. Layers say which packages may
	// import them.
	Drivers []string
	// Standard are the packages of the standard library that may be imported:
	// from a directory, relative to the one passed to Check, to import paths,
	// without the packages below them. The longest directory applies to
	// a package, "." to all that are in none of the others. All other packages are
	// forbidden.
	Standard map[string][]string
	// Names are the packages of which only some identifiers may be used, with
	// these identifiers.
	Names map[string][]string
	// Functions are functions, methods, variables and types that must not
	// be used, with the reason. They are written as time.Now and
	// (time.Time).Local, with the full import path.
	Functions map[string]string
	// Layers are the directories of the module with a place in its
	// order. Imports from packages in no layer, or between them,
	// are not checked.
	Layers []Layer
	// Unordered are types whose values may not be compared by order outside
	// of the package that declares them, written with the full import path.
	Unordered []string
}

// Layer is a directory with one or more packages, and their allowed
// imports from the same module. A package belongs to the layer with the longest
// Dir that contains it.
type Layer struct {
	// Dir is relative to the directory passed to Check. It includes all
	// directories below it, except those that are a Layer themselves.
	Dir string
	// Imports are the Dirs of the layers whose packages may be imported
	// here. Packages of the same layer may import each other.
	Imports []string
}

// Default returns the rules for any package without I/O. They
// name no packages, layers or unordered types, and allow no package of the
// standard library. The caller may change them.
func Default() Rules {
	const (
		clock   = "looks at the machine's clock"
		zone    = "depends on the machine's time zone"
		console = "uses the console"
	)
	return Rules{
		// A context is a value of its caller: making one that ends needs a
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

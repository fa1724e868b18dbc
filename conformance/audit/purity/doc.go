// Package purity finds what a package without I/O must not contain:
// goroutines, channels, clocks, randomness, imports that bring them in, and
// output in the order of a map. It reads the source and its types and runs
// nothing.
//
// A test of the module calls it:
//
//	rules := purity.Default()
//	rules.Packages = []string{"./machine/..."}
//	findings, err := purity.Check("..", rules)
//
// # Rules
//
//   - go, chan, select: goroutines, channels in any form.
//   - ambient: time.Now and everything else in time that reads the machine's
//     clock or zone; reading and writing the console; coroutines (see
//     Rules.Functions); in a package in Rules.Names, all identifiers not listed.
//   - import: any package of the standard library that is not in
//     Rules.Standard, and any other module.
//   - maporder: a range over a map with an iteration variable, whatever its
//     body, and maps.Keys, maps.Values and maps.All. Write
//     for _, k := range slices.Sorted(maps.Keys(m)) instead, which
//     passes. maps.Clone, maps.Copy, maps.Collect and a range that only counts
//     pass too.
//   - global: a package-level variable that a function assigns to, changes an
//     element or field of, or calls a method with a pointer receiver on.
//     Changes through a copy of a pointer, slice or map are not found.
//   - arrow: an import against Rules.Layers.
//   - order: <, <=, >, >=, cmp.Compare, cmp.Less, strings.Compare, min and max
//     on a type of Rules.Unordered, or on its text.
//   - build: files excluded by build constraints, cgo, assembler.
//   - directive: compiler directives that reach outside of the package.
//   - load: what prevented a complete check of the package.
//   - rules: a directory or type in Rules that does not exist.
//
// Packages in Rules.Drivers do I/O: only load, order, directive and imports from
// outside of the standard library apply to them, and importing them is an arrow.
//
// Test files are checked only for the rule arrow.
package purity

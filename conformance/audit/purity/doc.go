// Package purity finds what a package that does no I/O may not have:
// goroutines, channels, clocks, randomness, imports that bring them in, and
// output in the order of a map. It reads the source and its types; it runs
// nothing.
//
// A test of the module that holds the packages calls it:
//
//	rules := purity.Default()
//	rules.Packages = []string{"./machine/..."}
//	findings, err := purity.Check("..", rules)
//
// # Rules
//
//   - go, chan, select: goroutines, channels in any form.
//   - ambient: time.Now and everything else in time that looks at the machine's
//     clock or zone; reading and writing the console; coroutines (see
//     Rules.Functions); of a package in Rules.Names, whatever is not named.
//   - import: any package of the standard library that is not in
//     Rules.Standard, and any other module.
//   - maporder: a range over a map with an iteration variable, whatever the
//     body does, and maps.Keys, maps.Values and maps.All. What is meant is
//     written as for _, k := range slices.Sorted(maps.Keys(m)), and this
//     passes. maps.Clone, maps.Copy, maps.Collect and a range that counts only
//     pass too.
//   - global: a package-level variable that a function assigns to, changes an
//     element or field of, or calls a method with a pointer receiver on.
//     Changes through a copy of a pointer, slice or map are not found.
//   - arrow: an import against Rules.Layers.
//   - order: <, <=, >, >=, cmp.Compare, cmp.Less, strings.Compare, min and max
//     on a type of Rules.Unordered, or on its text.
//   - build: files left out by build constraints, cgo, assembler.
//   - directive: compiler directives that reach outside of the package.
//   - load: what kept the package from being checked completely.
//   - rules: a directory or type in Rules that is not there.
//
// Packages in Rules.Drivers do I/O: there only load, order, directive and imports from
// outside of the standard library are looked for, and what imports them is an arrow.
//
// Test files are looked at for the rule arrow only.
package purity

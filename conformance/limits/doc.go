// Package limits has the table of what a session, and the machines beside it, keep of the
// bytes of a peer: each kind once, with the setting that bounds it and the resulting
// bytes. conformance/cmd/tables writes docs/limits.md from it.
//
// Its tests are hostile peers. One fills each row of the table to its limit with messages
// much larger than the kept data, and measures what stays alive. One walks the types
// of everything that is kept, by reflection, and fails for a field without a
// row. One feeds every public entry point with texts of a size and of eight times that: the
// cost may grow in proportion and no faster.
// they cost may grow with it and no faster.
package limits

// Package limits has the table of what a session, and the machines beside it, keep of the
// bytes of a peer: each kind of thing once, with the setting that bounds it and the bytes
// that follow. docs/limits.md is written from it (conformance/cmd/tables).
//
// Its tests are hostile peers. One fills each row of the table to the brim with messages
// that are large around what is kept, and measures what stays alive. One walks the types
// of everything that is kept, by reflection, and fails at a field that no row accounts
// for. One feeds every public entry with texts of a size and of eight times that: what
// they cost may grow with it and no faster.
package limits

// Package delta writes what changed between two records as a short piece of bytes behind the first one, so that a store
// is sent that piece and not the whole of the second. An entry is a record and the changes that follow it:
//
//	entry  = record *change
//	change = pieces check length %x00
//	pieces = size *(literal copy)
//
// A record ends in no zero byte, as JSON does not, so an entry is taken apart from its end. Check is a checksum of
// the record that the change leads to: it finds what was put behind another record, and is what the bytes of an entry
// can be told from those of another one by. The package has no state and does no I/O.
package delta

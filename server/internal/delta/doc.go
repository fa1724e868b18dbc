// Package delta encodes the difference between two records as bytes that follow the first one, so that a store gets
// these bytes and not the whole second record. An entry is a record and the changes that follow it:
//
//	entry  = record *change
//	change = pieces check length %x00
//	pieces = size *(literal copy)
//
// A record must not end in a zero byte, which JSON never does, so an entry is parsed from its end. Check is a
// checksum of the record that results from the change: it detects a change that was appended to another record, and
// distinguishes an entry from others. The package has no state and does no I/O.
package delta

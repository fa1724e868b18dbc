// Package kinds tests every machine of the module for faults of one kind: a time that
// goes back or is zero, memory shared with the caller, and damaged snapshots.
//
// A machine is a row of a table, and its verbs are found by reflection: a new verb fails
// until the row has its arguments.
package kinds

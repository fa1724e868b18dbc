// Package kinds holds faults by their kind against every machine of the module: a time that
// goes back or is zero, memory that is shared with the caller, and snapshots that are damaged.
//
// A machine is a row of a table, and its verbs are found by reflection: a new verb fails
// until the row has its arguments.
package kinds

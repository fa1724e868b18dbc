// Package phases drives server and client States through every row and every gap of
// the transition table, and limits, rates and deadlines to the last. It has tests only.
package phases

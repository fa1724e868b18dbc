// Package gating walks tables exhaustively, for both roles: every method in every phase,
// under every capability and in every revision, that is who may send it, who answers it
// and with what; and every row and every gap of the transition table, with limits, rates
// and deadlines to the last. The expectations are stated here a second time, from the
// specification and not from the tables of the product. It has tests only.
package gating

// Package gating tests tables exhaustively, for both roles: every method in every phase,
// under every capability and in every revision: who may send it, who answers it
// and how; and every row and every gap of the transition table, with limits, rates
// and deadlines exactly. The tests state the expectations again, from the
// specification and not from the tables of the product. It has only tests.
package gating

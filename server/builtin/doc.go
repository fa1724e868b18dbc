// Package builtin has a group of tools without I/O for package registry: a calculator on exact
// decimals, queries of JSON documents by JSON Pointer, dates and times from a clock of the program,
// and UUIDs from its entropy.
//
// # Loop
//
//	s, err := builtin.New(builtin.Options{Now: time.Now, Entropy: entropy}) // entropy: of crypto/rand
//	if err != nil {
//		return err
//	}
//	r, change, err = r.Register(s)
//
// # Contract
//
//   - Time and randomness come only from Options: without a source the group omits the tool.
//   - Work is bounded for any input: 4096 bytes, 64 levels and 1000 digits for the calculator, the
//     length of document and pointer for a query.
//   - Numbers are decimals, never floating point: 0.1+0.2 is 0.3. An infinite quotient, and a
//     product or power of more than 1000 digits, is rounded to 50 digits, and says so.
//   - Errors are written for the model.
//
// # Not promised
//
// The texts of errors and descriptions; more tools may be added.
package builtin

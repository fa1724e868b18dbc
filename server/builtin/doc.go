// Package builtin has tools that need nothing from the machine, as a group for package registry: a
// calculator with exact decimals, queries of JSON documents by JSON Pointer, dates and times from a
// clock of the host, and UUIDs from entropy of the host.
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
//   - This package reads no clock and makes no randomness: a tool whose source is missing in
//     Options is not part of the group.
//   - Whatever a model asks for, the work is bounded: 4096 bytes, 64 levels and 1000 digits for
//     the calculator, the length of document and pointer for a query.
//   - Numbers are decimals, never floating point: 0.1+0.2 is 0.3. A division that does not end,
//     and a product or power of more than 1000 digits, is rounded to 50 digits, and the result
//     says so.
//   - Errors are sentences for the model.
//
// # Not promised
//
// The wording of errors and descriptions, and which tools are added later.
package builtin

// Package builtin has tools that need nothing of the machine, as a group for package registry: a
// calculator on exact decimals, queries of JSON documents by JSON Pointer, dates and times from an
// instant that the host gives, and UUIDs from entropy that the host gives.
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
//   - Nothing here looks at a clock or makes randomness: what Options has no source for is no
//     tool of the group.
//   - Whatever a model asks for, the work is bounded: 4096 bytes, 64 levels and
//     1000 digits for the calculator, the length of document and pointer for a query.
//   - Numbers are decimals, never floating point: 0.1+0.2 is 0.3. A division that has no end,
//     and a product or power of more than 1000 digits, is rounded to 50 digits, and
//     says so.
//   - Errors are sentences for the model.
//
// # Not promised
//
// The wording of errors and descriptions, and which tools there are beside those of today.
package builtin

// Package junk has what disturbs a session and must not harm it.
package junk

// Texts have no usable id, so that no answer can be matched to anything. Each is one line.
var Texts = []string{
	`this is no JSON at all`,
	`{"jsonrpc":"2.0","id":`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"cut of`,
	`"a string"`,
	`12`,
	`null`,
	`{}`,
	`{"jsonrpc":"2.0"}`,
	`{"jsonrpc":"1.0","method":"notifications/progress"}`,
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/\xff\xfe\"}",
	`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
	`[[[[[[[[`,
	"\x00\x01\x02",
}

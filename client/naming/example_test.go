package naming_test

import (
	"fmt"

	"github.com/sansmcp/mcp/client/naming"
)

// Parse returns the server and the tool of a qualified name, for any names.
func ExampleForm() {
	for _, n := range []naming.Form{{}, {Profile: naming.Provider}, {Bare: true, Separator: "_"}} {
		id := n.ID("my.files", "read file")
		server, tool, ok := n.Parse(id)
		fmt.Println(id, "is", server, "and", tool, ok)
	}
	// Output:
	// mcp.my-x2Efiles.read-x20file is my.files and read file true
	// mcp__my-x2Efiles__read-x20file is my.files and read file true
	// my.files_read-x20file is my.files and read file true
}

package table_test

import (
	"fmt"

	"github.com/sansmcp/mcp/lifecycle/table"
)

func Example() {
	var pending table.Table[string]
	pending = pending.Put(1, 500, "tools/list")
	pending = pending.Put(2, 200, "tools/call")
	pending = pending.Put(3, table.Never, "sampling/createMessage")
	before := pending // a snapshot

	pending, answered := pending.Delete(1)
	fmt.Println("answered:", answered.V)
	fmt.Println("next deadline:", pending.Min())

	pending, due := pending.Expire(200)
	for _, l := range due {
		fmt.Println("timed out:", l.V)
	}
	for l := range pending.All() {
		fmt.Println("still waits:", l.V)
	}
	fmt.Println(before.Len(), "were pending before")
	// Output:
	// answered: tools/list
	// next deadline: 200
	// timed out: tools/call
	// still waits: sampling/createMessage
	// 3 were pending before
}

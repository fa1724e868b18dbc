package uritemplate_test

import (
	"fmt"

	"github.com/sansmcp/mcp/protocol/uritemplate"
)

func Example() {
	var templates []uritemplate.Template
	for _, text := range []string{"db://{table}", "db://{table}/{row}{?columns}", "file://{+path}"} {
		t, err := uritemplate.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		templates = append(templates, t)
	}
	set := uritemplate.NewSet(templates...)

	for _, uri := range []string{"db://users", "db://users/7?columns=name,age", "file:///etc/motd", "http://x"} {
		found, ok := set.Find(uri)
		fmt.Println(uri, "is", found.Template, ok)
		for _, b := range found.Values {
			fmt.Printf("  %s = %q\n", b.Name, b.Value.List())
		}
	}
	// Output:
	// db://users is db://{table} true
	//   table = ["users"]
	// db://users/7?columns=name,age is db://{table}/{row}{?columns} true
	//   table = ["users"]
	//   row = ["7"]
	//   columns = ["name" "age"]
	// file:///etc/motd is file://{+path} true
	//   path = ["/etc/motd"]
	// http://x is  false
}

func ExampleTemplate_Expand() {
	t, err := uritemplate.Parse("db://{table}{/row}{?columns,limit}")
	if err != nil {
		fmt.Println(err)
		return
	}
	uri, err := t.Expand(uritemplate.Values{
		{Name: "table", Value: uritemplate.Text("big users")},
		{Name: "columns", Value: uritemplate.List("name", "age")},
	})
	fmt.Println(uri, err)
	// Output:
	// db://big%20users?columns=name,age <nil>
}

func ExampleParse() {
	_, err := uritemplate.Parse("db://{table}/{row")
	fmt.Println(err)
	// Output:
	// uritemplate: { without } at 13
}

package main

// kind is how a field that is not made of structs is treated. In the calls, %[1]s
// is what was appended so far and %[2]s the field.
type kind struct {
	set      string // decodes it
	always   bool   // set takes a third argument: the member is required
	verify   string // the call that Validate makes, if any
	append   string // the expression that appends it
	required string // the same for a required one, if that differs
	arrays   bool   // set takes as its last argument whether arrays are taken
	loose    bool   // set takes as its last argument whether anything is taken
	null     bool   // of which null is one then
	builds   bool   // set builds a list or a map, and only checks it if it is given nil
}

// kinds are the kinds by Go type and, after a space, mcp tag.
var kinds = map[string]kind{
	"string":               {set: "setString", always: true, append: appendString},
	"string name":          {set: "setString", always: true, append: appendString, verify: "verifyName(%[2]s)"},
	"string uri":           {set: "setString", always: true, append: appendString, verify: "verifyURI(%[2]s)"},
	"string root":          {set: "setString", always: true, append: appendString, verify: "verifyRoot(%[2]s)"},
	"string icon":          {set: "setString", always: true, append: appendString, verify: "verifyIcon(%[2]s)"},
	"*Cursor name":         {set: "setCursor", append: "rawjson.AppendQuote(%[1]s, string(*%[2]s))", verify: "verifyCursor(%[2]s)"},
	"jsonrpc.ID":           {set: "setID", always: true, append: "appendID(%[1]s, %[2]s)", verify: "verifyID(%[2]s)"},
	"bool":                 {set: "setBool", append: `append(%[1]s, "true"...)`},
	"*bool":                {set: "setBoolPtr", append: "strconv.AppendBool(%[1]s, *%[2]s)"},
	"int64":                {set: "setInt", always: true, append: "strconv.AppendInt(%[1]s, %[2]s, 10)"},
	"*int64":               {set: "setIntPtr", append: "strconv.AppendInt(%[1]s, *%[2]s, 10)"},
	"float64":              {set: "setFloat", always: true, append: "rawjson.AppendFloat(%[1]s, %[2]s)", verify: "verifyFloat(%[2]s)"},
	"*float64":             {set: "setFloatPtr", append: appendFloatPtr, verify: "verifyFloatPtr(%[2]s)"},
	"*float64 min=0,max=1": {set: "setFloatPtr", append: appendFloatPtr, verify: verifyUnit},

	"Raw":          {set: "setRaw", always: true, append: appendText, required: `appendRaw(%[1]s, %[2]s, "null")`, verify: "verifyText(%[2]s)"},
	"Raw object":   {set: "setObject", always: true, append: appendText, required: `appendRaw(%[1]s, %[2]s, "{}")`, verify: "verifyObject(%[2]s)"},
	"Raw schema":   {set: "setSchema", always: true, append: `appendSchema(%[1]s, %[2]s, "")`, required: "appendSchema(%[1]s, %[2]s, anyObject)", verify: "verifySchema(%[2]s)"},
	"Raw any":      {set: "setAny", always: true, loose: true, null: true, append: appendText, verify: "verifyText(%[2]s)"},
	"Raw output":   {set: "setOutputSchema", always: true, loose: true, append: `appendSchema(%[1]s, %[2]s, "")`, verify: "verifyOutputSchema(%[2]s)"},
	"Meta":         {set: "setMeta", append: appendText, verify: "verifyMeta(%[2]s)"},
	"Meta request": {set: "setMeta", append: appendText, verify: "verifyMeta(%[2]s)"},

	"[]string sizes":           {builds: true, set: "setStrings", always: true, append: "appendStrings(%[1]s, %[2]s)", verify: "verifySizes(%[2]s)"},
	"[]string":                 {builds: true, set: "setStrings", always: true, append: "appendStrings(%[1]s, %[2]s)"},
	"map[string]string":        {builds: true, set: "setStringMap", append: "appendStringMap(%[1]s, %[2]s)", verify: "verifyKeys(%[2]s)"},
	"map[string]Raw object":    {builds: true, set: "setObjectMap", append: `appendRawMap(%[1]s, %[2]s, "{}")`, verify: "verifyObjects(%[2]s)"},
	"map[string]Raw primitive": {builds: true, arrays: true, set: "setPrimitiveMap", append: `appendRawMap(%[1]s, %[2]s, "null")`, verify: "verifyPrimitives(%[2]s)"},
}

const (
	appendString   = "rawjson.AppendQuote(%[1]s, %[2]s)"
	appendText     = "append(%[1]s, %[2]s...)"
	appendFloatPtr = "rawjson.AppendFloat(%[1]s, *%[2]s)"
	verifyUnit     = "verifyRange(%[2]s, 0, 1)"
)

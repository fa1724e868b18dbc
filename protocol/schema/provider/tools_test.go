package provider_test

import "github.com/sansmcp/mcp/protocol"

// realistic is a list of tools like those of public servers: optional members, unions, circular
// references, tuples, both spellings of null, keywords that few providers know.
var realistic = []protocol.Tool{
	{
		Name: "weather.forecast", Description: "Forecast for a place.", OutputSchema: `{"type":"object"}`,
		InputSchema: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
			"city":{"type":"string","minLength":1,"pattern":"^[^/]+$","description":"name of the city"},
			"days":{"type":"integer","minimum":1,"maximum":14,"default":3},
			"unit":{"type":"string","enum":["C","F"]},
			"at":{"type":"string","format":"date-time"},
			"lang":{"type":["string","null"]},
			"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":1,"maxItems":5}},
			"required":["city"],"additionalProperties":false}`,
	},
	{
		Name: "файлы/найти", Description: "Finds files.",
		InputSchema: `{"type":"object","properties":{
			"filter":{"$ref":"#/$defs/filter"},
			"sort":{"oneOf":[{"const":"name"},{"const":"size"}]},
			"limit":{"anyOf":[{"type":"integer","exclusiveMinimum":0},{"type":"null"}]},
			"where":{"allOf":[{"$ref":"#/$defs/place"}]}},
			"$defs":{"filter":{"type":"object","properties":{"name":{"type":"string"},"not":{"$ref":"#/$defs/filter"},"all":{"type":"array","items":{"$ref":"#/$defs/filter"}}},"required":["name"]},
				"place":{"type":"object","properties":{"lat":{"type":"number"},"lon":{"type":"number"}},"required":["lat","lon"]}},
			"required":["filter"]}`,
	},
	{
		Name: "files.mark",
		InputSchema: `{"type":"object","properties":{
			"meta":{"type":"object","additionalProperties":{"type":"string"}},
			"range":{"type":"array","items":[{"type":"integer"},{"type":"integer"}],"additionalItems":false},
			"above":{"type":"number","minimum":0,"exclusiveMinimum":true},
			"$top":{"type":"integer"},"list":{"type":"array"}},"required":["$top"]}`,
	},
	{Name: "ping", InputSchema: `{"type":"object"}`},
	{
		Name: "mcp.a_server_with_quite_a_long_name.a_tool_with_a_name_that_is_longer_still",
		InputSchema: `{"type":"object","properties":{"id":{"type":"integer","enum":[1,2,3]},"any":true,"mode":{"const":"fast"},"v":{"type":["string","number","boolean"]}},
			"oneOf":[{"required":["id"]},{"required":["mode"]}],"patternProperties":{"^x-":{"type":"string"}},"if":{"required":["v"]},"then":{"required":["id"]}}`,
	},
}

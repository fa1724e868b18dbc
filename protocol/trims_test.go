package protocol_test

// trims are bodies with what they become, one for each thing that a revision added:
// method, kind, body, then what it is in 2025-03-26 and in 2024-11-05; = is the body itself,
// ' what stands in the line before. A lossless change has a ! in front.
const trims = `
initialize params
  {"protocolVersion":"x","capabilities":{"roots":{},"elicitation":{}},"clientInfo":{"name":"n","title":"t","version":"1"}}
  {"protocolVersion":"x","capabilities":{"roots":{}},"clientInfo":{"name":"n","version":"1"}}
  '
initialize result
  {"capabilities":{"completions":{},"tools":{}},"serverInfo":{"title":"t","name":"n","version":"1"},"instructions":"i","_meta":{"a":1}}
  {"capabilities":{"completions":{},"tools":{}},"serverInfo":{"name":"n","version":"1"},"instructions":"i","_meta":{"a":1}}
  {"capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"},"instructions":"i","_meta":{"a":1}}
tools/list result
  {"tools":[{"name":"a"}, {"name":"b","title":"B","inputSchema":{"type":"object","title":"kept"}} ,{"name":"c","outputSchema":{"type":"object"}}],"nextCursor":"x"}
  {"tools":[{"name":"a"}, {"name":"b","inputSchema":{"type":"object","title":"kept"}} ,{"name":"c"}],"nextCursor":"x"}
  '
tools/list result
  {"tools":[{"_meta":{"k":1},"name":"a","annotations":{"title":"T","readOnlyHint":true}}]}
  {"tools":[{"name":"a","annotations":{"title":"T","readOnlyHint":true}}]}
  {"tools":[{"name":"a"}]}
tools/list result
  {"tools":[{"name":"a","title":null}]}
  !{"tools":[{"name":"a"}]}
  !'
tools/call result
  {"content":[{"type":"text","text":"{}"}],"structuredContent":{"type":"text"},"isError":false}
  {"content":[{"type":"text","text":"{}"}],"isError":false}
  '
tools/call result
  {"content":[ ],"structuredContent":{"n":1.50}}
  {"content":[ ]}
  '
tools/call result
  {"content":[],"structuredContent":null}
  !{"content":[]}
  !'
tools/call result
  {"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1,"lastModified":"2025"}},{"type":"image","data":"AA==","mimeType":"image/png","_meta":{}}]}
  {"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1}},{"type":"image","data":"AA==","mimeType":"image/png"}]}
  {"content":[{"type":"text","text":"[audio: audio/wav]","annotations":{"priority":1}},{"type":"image","data":"AA==","mimeType":"image/png"}]}
tools/call result
  {"content":[{"type":"resource_link","uri":"file:///r","name":"r","title":"The r","description":"of \"all\"","annotations":{"audience":["user"]},"_meta":{}}]}
  {"content":[{"type":"text","text":"The r (file:///r): of \"all\"","annotations":{"audience":["user"]}}]}
  '
tools/call result
  {"content":[{"type":"resource_link","uri":"file:///r","name":"r"},{"type":"hologram","title":"stays","_x":1}]}
  {"content":[{"type":"text","text":"r (file:///r)"},{"type":"hologram","title":"stays","_x":1}]}
  '
tools/call result
  {"content":[{"type":"resource","resource":{"uri":"a:b","text":"t","_meta":{"_meta":1}},"annotations":{"lastModified":"2025"}}]}
  {"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"},"annotations":{}}]}
  '
resources/list result
  {"resources":[{"uri":"a:b","name":"n","title":"t","size":10,"annotations":{"lastModified":"2025","priority":0},"_meta":{}}],"_meta":{"stays":1}}
  {"resources":[{"uri":"a:b","name":"n","size":10,"annotations":{"priority":0}}],"_meta":{"stays":1}}
  '
resources/templates/list result
  {"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","title":"t","annotations":{"lastModified":"2025"},"_meta":{}}]}
  {"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","annotations":{}}]}
  '
resources/read result
  {"contents":[{"uri":"a:b","text":"t","_meta":{}},{"uri":"a:c","blob":"AA=="}]}
  {"contents":[{"uri":"a:b","text":"t"},{"uri":"a:c","blob":"AA=="}]}
  '
prompts/list result
  {"prompts":[{"name":"p","title":"t","arguments":[{"name":"a","title":"t","required":true}],"_meta":{}}]}
  {"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]}]}
  '
prompts/get result
  {"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n"}},{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}]}
  {"messages":[{"role":"user","content":{"type":"text","text":"n (a:b)"}},{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}]}
  {"messages":[{"role":"user","content":{"type":"text","text":"n (a:b)"}},{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}]}
completion/complete params
  {"ref":{"type":"ref/prompt","name":"p","title":"t"},"argument":{"name":"a","value":"title"},"context":{"arguments":{"b":"c"}},"_meta":{"progressToken":1}}
  {"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"title"},"_meta":{"progressToken":1}}
  '
roots/list result
  {"roots":[{"uri":"file:///a","name":"a","_meta":{}}]}
  {"roots":[{"uri":"file:///a","name":"a"}]}
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg","_meta":{}}}],"maxTokens":1,"metadata":{"title":1}}
  {"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}],"maxTokens":1,"metadata":{"title":1}}
  {"messages":[{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}],"maxTokens":1,"metadata":{"title":1}}
sampling/createMessage result
  {"role":"assistant","content":{"type":"audio","data":"","mimeType":"audio/ogg"},"model":"m"}
  =
  {"role":"assistant","content":{"type":"text","text":"[audio: audio/ogg]"},"model":"m"}
notifications/progress params
  {"progressToken":1,"progress":1,"message":"half"}
  =
  {"progressToken":1,"progress":1}
tools/call params
  {"name":"t","arguments":{"title":"t","_meta":{},"context":1},"_meta":{"x":1}}
  =
  =
notifications/message params
  {"level":"info","data":{"title":1,"message":"m"},"message":"m"}
  =
  =
tools/list result
  {"\u0074ools":[{"name":"a","\u0074itle":"b"}]}
  {"\u0074ools":[{"name":"a"}]}
  '
tools/list result
  {"tools":{"title":1},"more":[{"title":1}]}
  {"tools":{},"more":[{"title":1}]}
  '
tools/list result
  {"tools":7}
  =
  =
tools/call result
  {"content":[{"type":"audio"}]}
  =
  =
tools/call result
  {"content":[{"type":"resource_link","uri":7,"name":"n"},{"type":"audio","data":"","mimeType":null}]}
  =
  =
`

// laterTrims are such bodies for what 2025-11-25 added, with what they become in 2025-06-18,
// 2025-03-26 and 2024-11-05.
const laterTrims = `
initialize params
  {"protocolVersion":"x","capabilities":{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"n","version":"1","description":"d","icons":[{"src":"data:,"}],"websiteUrl":"a:b"}}
  {"protocolVersion":"x","capabilities":{"sampling":{},"elicitation":{}},"clientInfo":{"name":"n","version":"1"}}
  {"protocolVersion":"x","capabilities":{"sampling":{}},"clientInfo":{"name":"n","version":"1"}}
  '
initialize result
  {"capabilities":{},"serverInfo":{"name":"n","version":"1","description":"d","title":"t"}}
  {"capabilities":{},"serverInfo":{"name":"n","version":"1","title":"t"}}
  {"capabilities":{},"serverInfo":{"name":"n","version":"1"}}
  '
tools/list result
  {"tools":[{"name":"a","icons":[]},{"name":"b","execution":{"taskSupport":"optional"},"inputSchema":{"$schema":"u:1","icons":[]}}]}
  {"tools":[{"name":"a"},{"name":"b","inputSchema":{"$schema":"u:1","icons":[]}}]}
  '
  '
tools/call result
  {"content":[{"type":"tool_use","id":"1","name":"t","input":{}}]}
  =
  =
  =
tools/call result
  {"content":[{"type":"resource_link","uri":"a:b","name":"n","title":"t","icons":[{"src":"data:,"}],"annotations":{"priority":1}},{"type":"hologram","icons":[]}]}
  {"content":[{"type":"resource_link","uri":"a:b","name":"n","title":"t","annotations":{"priority":1}},{"type":"hologram","icons":[]}]}
  {"content":[{"type":"text","text":"t (a:b)","annotations":{"priority":1}},{"type":"hologram","icons":[]}]}
  '
prompts/get result
  {"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n","title":"t","icons":[]}}]}
  {"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n","title":"t"}}]}
  {"messages":[{"role":"user","content":{"type":"text","text":"t (a:b)"}}]}
  '
resources/list result
  {"resources":[{"uri":"a:b","name":"n","icons":[{"src":"data:,"}]}]}
  {"resources":[{"uri":"a:b","name":"n"}]}
  '
  '
resources/templates/list result
  {"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","icons":null}]}
  !{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n"}]}
  !'
  !'
prompts/list result
  {"prompts":[{"name":"p","icons":[],"arguments":[{"name":"a","icons":"stays"}]}]}
  {"prompts":[{"name":"p","arguments":[{"name":"a","icons":"stays"}]}]}
  '
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":[{"type":"text","text":"x"}],"_meta":{"a":1}}, {"role":"user","content":{"type":"text","text":"y"}}],"maxTokens":1,"tools":[],"toolChoice":{}}
  {"messages":[{"role":"user","content":{"type":"text","text":"x"}}, {"role":"user","content":{"type":"text","text":"y"}}],"maxTokens":1}
  '
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":[ {"type":"audio","data":"","mimeType":"audio/ogg"} ]}],"maxTokens":1}
  !{"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}],"maxTokens":1}
  !'
  {"messages":[{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}],"maxTokens":1}
sampling/createMessage result
  {"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m","stopReason":"toolUse"}
  !{"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"toolUse"}
  !'
  !'
sampling/createMessage result
  {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"t","input":{}}],"model":"m"}
  {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"text","text":"[tool_use]"}],"model":"m"}
  '
  '
sampling/createMessage result
  {"role":"assistant","content":{"type":"tool_result","toolUseId":"1","content":[]},"model":"m"}
  {"role":"assistant","content":{"type":"text","text":"[tool_result]"},"model":"m"}
  '
  '
elicitation/create params
  {"mode":"form","message":"m","requestedSchema":{"$schema":"u:1","type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}, "b":{"type":"boolean","default":true}}}}
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}, "b":{"type":"boolean","default":true}}}}
  '
  '
elicitation/create params
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"r","title":"Red"}]}}}}
  !{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["r"],"enumNames":["Red"]}}}}
  !'
  !'
elicitation/create params
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x"},"default":{"type":"number","title":"t","default":1},"c":{"type":"string","enum":["a"],"default":"a"}}}}
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"default":{"type":"number","title":"t"},"c":{"type":"string","enum":["a"]}}}}
  '
  '
elicitation/create params
  {"mode":"url","message":"m","url":"a:b","elicitationId":"1"}
  {"message":"m"}
  '
  '
`

// latestTrims are trims that 2025-11-25 needs too.
const latestTrims = `
tools/call result
  {"structuredContent":[{}] ,"content":[{"type":"text","text":"x"}]}
  {"content":[{"type":"text","text":"x"}]}
  '
  '
  '
tools/list result
  {"tools":[{"name":"a","outputSchema":{"type":"array"}},{"name":"b"}]}
  {"tools":[{"name":"a"},{"name":"b"}]}
  '
  '
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[],"structuredContent":5}]}],"tools":[{"name":"a","outputSchema":{"oneOf":[]}}]}
  {"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]}]}],"tools":[{"name":"a"}]}
  {"messages":[{"role":"user","content":{"type":"text","text":"[tool_result]"}}]}
  '
  '
sampling/createMessage result
  {"role":"assistant","content":{"type":"tool_result","toolUseId":"1","content":[],"structuredContent":"x"},"model":"m"}
  {"role":"assistant","content":{"type":"tool_result","toolUseId":"1","content":[]},"model":"m"}
  {"role":"assistant","content":{"type":"text","text":"[tool_result]"},"model":"m"}
  '
  '
`

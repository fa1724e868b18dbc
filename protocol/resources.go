package protocol

// The methods of resources (resources page).
const (
	MethodResourcesList         = "resources/list"
	MethodResourceTemplatesList = "resources/templates/list"
	MethodResourcesRead         = "resources/read"
	MethodResourcesSubscribe    = "resources/subscribe"
	MethodResourcesUnsubscribe  = "resources/unsubscribe"
	MethodResourcesUpdated      = "notifications/resources/updated"
	MethodResourcesListChanged  = "notifications/resources/list_changed"
)

// ResourceList is the list of resources.
var ResourceList = &List{
	Member: "resources", Key: "uri", Method: MethodResourcesList, Use: MethodResourcesRead, Cap: CapResources,
	Changed: MethodResourcesListChanged, Change: CapResourcesListChanged, unknown: ResourceNotFound,
}

// TemplateList is the list of resource templates. The capability of resources opens it (RES-015).
var TemplateList = &List{
	Member: "resourceTemplates", Key: "uriTemplate", Method: MethodResourceTemplatesList, Use: MethodResourcesRead, Cap: CapResources,
	Changed: MethodResourcesListChanged, Change: CapResourcesListChanged, unknown: ResourceNotFound,
}

var resourceRows = []Row{
	{
		Method: MethodResourcesList, Receiver: Server, Gate: CapResources, Declares: CapResources, Send: ready, Serve: early, Cancellable: true,
		Lists: ResourceList, Cached: true, ResultRule: "RES-003", ItemRule: "RES-004",
		params: checkListResourcesParams, result: checkListResourcesResult, accept: acceptList,
	},
	{
		Method: MethodResourceTemplatesList, Receiver: Server, Gate: CapResources, Declares: CapResources, Send: ready, Serve: early, Cancellable: true,
		Lists: TemplateList, Cached: true, ResultRule: "RES-010", ItemRule: "RES-011",
		params: checkListResourceTemplatesParams, result: checkListResourceTemplatesResult, accept: acceptList,
	},
	{
		Method: MethodResourcesRead, Receiver: Server, Gate: CapResources, Declares: CapResources, Send: ready, Serve: early, Cancellable: true,
		Names: ResourceList, Asks: true, Cached: true, ResultRule: "RES-006", telling: [2]string{"uri"},
		params: checkReadResourceParams, result: checkReadResourceResult,
	},
	{
		Method: MethodResourcesSubscribe, Receiver: Server, Gate: CapResources | CapResourcesSubscribe, Declares: CapResourcesSubscribe,
		Send: ready, Serve: early, Cancellable: true, ages: ages{until: age20260728}, Names: ResourceList, Setting: SettingSubscribe, ResultRule: "SCHEMA-021",
		telling: [2]string{"uri"}, params: checkSubscribeParams, result: checkEmptyResult,
	},
	{
		Method: MethodResourcesUnsubscribe, Receiver: Server, Gate: CapResources | CapResourcesSubscribe,
		Send: ready, Serve: early, Cancellable: true, ages: ages{until: age20260728}, Names: ResourceList, Setting: SettingUnsubscribe, ResultRule: "SCHEMA-021",
		telling: [2]string{"uri"}, params: checkUnsubscribeParams, result: checkEmptyResult,
	},
	{
		Method: MethodResourcesUpdated, Notification: true, Receiver: Client, Gate: CapResources | CapResourcesSubscribe, Send: ready, Serve: ready,
		Setting: SettingSubscribe, params: checkResourceUpdatedParams, telling: [2]string{"uri"},
	},
	{
		Method: MethodResourcesListChanged, Notification: true, Receiver: Client, Gate: CapResources | CapResourcesListChanged, Send: ready, Serve: ready,
		Lists: ResourceList, params: checkResourceListChangedParams,
	},
}

// ListResourcesParams are the params of resources/list.
type ListResourcesParams struct {
	// Cursor is where to go on; nil asks for the first page.
	Cursor *Cursor `json:"cursor,omitzero" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ListResourcesResult is the result of resources/list.
type ListResourcesResult struct {
	// Resources is one page of the resources.
	Resources []Resource `json:"resources"`
	// NextCursor is where the next page starts; nil on the last one.
	NextCursor *Cursor `json:"nextCursor,omitzero" mcp:"name" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Resource is a resource that the client can read.
type Resource struct {
	// URI identifies the resource. Validate wants a scheme (RFC 3986).
	URI string `json:"uri" mcp:"uri"`
	// Name names it.
	Name string `json:"name" mcp:"name"`
	// Title is its name for display.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Description tells a model what it is.
	Description string `json:"description,omitzero"`
	// MIMEType is its MIME type, if known.
	MIMEType string `json:"mimeType,omitzero" mcp:"name"`
	// Annotations tell how to use it.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Icons are images for display.
	Icons []Icon `json:"icons,omitzero" mcp:"lenient" since:"2025-11-25"`
	// Size is the size of the raw content in bytes, if known.
	Size *int64 `json:"size,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// ListResourceTemplatesParams are the params of resources/templates/list.
type ListResourceTemplatesParams struct {
	// Cursor is where to go on; nil asks for the first page.
	Cursor *Cursor `json:"cursor,omitzero" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ListResourceTemplatesResult is the result of resources/templates/list.
type ListResourceTemplatesResult struct {
	// ResourceTemplates is one page of the templates.
	ResourceTemplates []ResourceTemplate `json:"resourceTemplates"`
	// NextCursor is where the next page starts; nil on the last one.
	NextCursor *Cursor `json:"nextCursor,omitzero" mcp:"name" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ResourceTemplate describes a family of resources.
type ResourceTemplate struct {
	// URITemplate is an RFC 6570 template of their uris.
	URITemplate string `json:"uriTemplate" mcp:"name"`
	// Name names the family.
	Name string `json:"name" mcp:"name"`
	// Title is its name for display.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Description tells a model what the resources are.
	Description string `json:"description,omitzero"`
	// MIMEType is the MIME type of all the resources, if they share one.
	MIMEType string `json:"mimeType,omitzero" mcp:"name"`
	// Annotations tell how to use them.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Icons are images for display.
	Icons []Icon `json:"icons,omitzero" mcp:"lenient" since:"2025-11-25"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// ReadResourceParams are the params of resources/read.
type ReadResourceParams struct {
	// URI is the resource to read.
	URI string `json:"uri" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
	// Input is what the client has answered to questions so far, for Ask. It is not sent.
	Input *InputResponses `json:"-"`
}

// ReadResourceResult is the result of resources/read.
type ReadResourceResult struct {
	// Contents are the contents of the resource and, for a collection, of those below it.
	Contents []ResourceContents `json:"contents" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
	// Cache says how long the client may keep the result. It goes out where there is no session (RES-206); what
	// comes is in the body alone.
	Cache Cache `json:"-"`
}

// SubscribeParams are the params of resources/subscribe (RES-018).
type SubscribeParams struct {
	// URI is the resource whose changes the server announces to the client.
	URI string `json:"uri" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// UnsubscribeParams are the params of resources/unsubscribe (RES-018).
type UnsubscribeParams struct {
	// URI is the resource of an earlier subscription.
	URI string `json:"uri" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ResourceUpdatedParams are the params of notifications/resources/updated.
type ResourceUpdatedParams struct {
	// URI is what changed: a subscribed resource or one below it.
	URI string `json:"uri" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ResourceListChangedParams are the params of notifications/resources/list_changed.
type ResourceListChangedParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

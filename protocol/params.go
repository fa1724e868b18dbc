package protocol

// RawRequest is the params of any request or notification, given as JSON text.
type RawRequest struct {
	// Name is the name of the method.
	Name string
	// Body is the params object; "" sends none. A State does not send one that can be
	// read in two ways: with the name, uri, level, ref, arguments or _meta of its method
	// twice, or in another case.
	Body Raw
}

// Method returns r.Name.
func (r RawRequest) Method() string { return r.Name }

// AppendJSON appends r.Body as it is.
func (r RawRequest) AppendJSON(dst []byte) []byte { return append(dst, r.Body...) }

// Method returns initialize.
func (InitializeParams) Method() string { return MethodInitialize.String() }

// Method returns ping.
func (PingParams) Method() string { return MethodPing.String() }

// Method returns tools/list.
func (ListToolsParams) Method() string { return MethodToolsList.String() }

// Method returns tools/call.
func (CallToolParams) Method() string { return MethodToolsCall.String() }

// Method returns resources/list.
func (ListResourcesParams) Method() string { return MethodResourcesList.String() }

// Method returns resources/templates/list.
func (ListResourceTemplatesParams) Method() string { return MethodResourceTemplatesList.String() }

// Method returns resources/read.
func (ReadResourceParams) Method() string { return MethodResourcesRead.String() }

// Method returns resources/subscribe.
func (SubscribeParams) Method() string { return MethodResourcesSubscribe.String() }

// Method returns resources/unsubscribe.
func (UnsubscribeParams) Method() string { return MethodResourcesUnsubscribe.String() }

// Method returns prompts/list.
func (ListPromptsParams) Method() string { return MethodPromptsList.String() }

// Method returns prompts/get.
func (GetPromptParams) Method() string { return MethodPromptsGet.String() }

// Method returns completion/complete.
func (CompleteParams) Method() string { return MethodCompletionComplete.String() }

// Method returns logging/setLevel.
func (SetLevelParams) Method() string { return MethodLoggingSetLevel.String() }

// Method returns roots/list.
func (ListRootsParams) Method() string { return MethodRootsList.String() }

// Method returns sampling/createMessage.
func (CreateMessageParams) Method() string { return MethodSamplingCreateMessage.String() }

// Method returns elicitation/create.
func (ElicitParams) Method() string { return MethodElicitationCreate.String() }

// Method returns notifications/initialized.
func (InitializedParams) Method() string { return MethodInitialized.String() }

// Method returns notifications/cancelled.
func (CancelledParams) Method() string { return MethodCancelled.String() }

// Method returns notifications/progress.
func (ProgressParams) Method() string { return MethodProgress.String() }

// Method returns notifications/roots/list_changed.
func (RootsListChangedParams) Method() string { return MethodRootsListChanged.String() }

// Method returns notifications/message.
func (LoggingMessageParams) Method() string { return MethodLoggingMessage.String() }

// Method returns notifications/resources/updated.
func (ResourceUpdatedParams) Method() string { return MethodResourcesUpdated.String() }

// Method returns notifications/resources/list_changed.
func (ResourceListChangedParams) Method() string { return MethodResourcesListChanged.String() }

// Method returns notifications/tools/list_changed.
func (ToolListChangedParams) Method() string { return MethodToolsListChanged.String() }

// Method returns notifications/prompts/list_changed.
func (PromptListChangedParams) Method() string { return MethodPromptsListChanged.String() }

// Method returns notifications/elicitation/complete.
func (ElicitationCompleteParams) Method() string { return MethodElicitationComplete.String() }

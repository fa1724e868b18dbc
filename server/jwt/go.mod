module github.com/sansmcp/mcp/server/jwt

go 1.25.0

require (
	github.com/coreos/go-oidc/v3 v3.21.0
	github.com/google/go-cmp v0.7.0
	github.com/sansmcp/mcp v0.0.0
)

require (
	github.com/go-jose/go-jose/v4 v4.1.4 // indirect
	golang.org/x/oauth2 v0.36.0 // indirect
)

replace github.com/sansmcp/mcp => ../..

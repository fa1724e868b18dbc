package limits

import (
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// authBounds are those of authorization. server/jwt is a separate module, whose constants are read from its sources.
func authBounds() []Bound {
	const flow, drv, kept, grd, jwt = "client/oauth", "client/oauth/login", "client/oauth/store", "server/guard", "server/jwt"
	const exact = flow + " TestExactly"
	return []Bound{
		{flow, "Config.Patience", "DefaultPatience", oauth.DefaultPatience, "the run fails: `oauth.TooMuch`, or `Abandoned` where the application is asked", flow + " TestEnds"},
		{flow, "Config.Person", "defaultPerson", 10 * time.Minute, "the run fails: `oauth.Abandoned`", flow + " TestEnds"},
		{flow, "maxDocument", "maxDocument", Bytes(256 << 10), "the next location is tried, as without metadata", exact},
		{flow, "maxAnswer", "maxAnswer", Bytes(64 << 10), "the run fails: `oauth.Malformed`, or `RegistrationRefused`", exact},
		{flow, "maxString", "maxString", Bytes(8 << 10), "the member counts as missing", exact},
		{flow, "maxList", "maxList", 64, "the rest of a list is dropped", exact},
		{flow, "maxScope", "maxScope", Bytes(256), "the scope is dropped", exact},
		{flow, "maxIssuers", "maxIssuers", 8, "further authorization servers are not tried", exact},
		{flow, "maxURL", "maxURL", Bytes(8 << 10), "the url is not used", exact + ", " + flow + " TestLongIssuer"},
		{flow, "maxLife", "maxLife", 10 * 365 * 24 * time.Hour, "a token is no longer valid", flow + " TestLives"},
		{flow, "maxCode", "maxCode", Bytes(64), "an error code is cut", exact},
		{flow, "maxText", "maxText", Bytes(200), "foreign texts are cut, a nonce is dropped", exact},
		{flow, "maxRequests", "maxRequests", 40, "the run fails: `oauth.TooMuch`", flow + " TestRequests"},
		{flow, "maxTries", "maxTries", 3, "the run fails: `oauth.Unreachable`; a code is sent once", flow + " TestTries, " + flow + " TestTokenAnswers"},
		{flow, "maxHops", "maxHops", 3, "the run fails: `oauth.OutOfReach`", flow + " TestHops"},
		{flow, "maxForeign", "maxForeign", 16, "so many answers with another state end the run: `oauth.Abandoned`", flow + " TestState"},
		{flow, "maxLogins", "maxLogins", 3, "refused for ten minutes: `oauth.Denied`", flow + " TestStepUpEnds"},
		{flow, "maxKept", "maxKept", 8, "the oldest registration is removed", flow + " TestBounds"},
		{flow, "maxSnapshotText", "maxSnapshotText", Bytes(64 << 10), "`lifecycle.ErrSnapshot`", exact},
		{flow, "longestWait", "longestWait", 30 * time.Second, "a longer Retry-After of a server is cut to this", flow + " TestTries"},
		{flow, "assertionLife", "assertionLife", 5 * time.Minute, "an assertion of the client has expired", flow + " TestSignatures"},
		{drv, "maxRunners", "maxRunners", 10_000, "`lifecycle.ErrLimit`", drv + " TestPagesAreBounded"},
		{drv, "maxForm", "maxForm", Bytes(64 << 10), "answered 400", drv + " TestPagesAreBounded"},
		{drv, "formTime", "formTime", 10 * time.Second, "answered 400, and the connection ends", ""},
		{drv, "agreedTime", "agreedTime", 10 * time.Minute, "the answer of the authorization server is refused", drv + " TestPagesExpire"},
		{drv, "maxSaves", "maxSaves", 5, "a Record that others change is not saved, and this is logged", drv + " TestSaveIsGivenUp"},
		{drv, "requestTime", "requestTime", 30 * time.Second, "the request counts as unanswered", drv + " TestRequestTime"},
		{drv, "connectTime", "connectTime", 10 * time.Second, "the same", ""},
		{drv, "closeTime", "closeTime", 500 * time.Millisecond, "connections of the listener are cut", ""},
		{kept, "MaxBytes", "MaxBytes", Bytes(256 << 10), "`store.ErrSize`", kept + " TestSave, " + kept + " TestFiles"},
		{grd, "Policy.Leeway", "defaultLeeway", 30 * time.Second, "401, and streams end", grd + " TestExpiry"},
		{grd, "maxScope", "maxScope", Bytes(4096), "a challenge names missing scopes first, and drops the rest", grd + " TestLongChallenge"},
		{jwt, "Config.Leeway", "defaultLeeway", 30 * time.Second, "401", jwt + " TestVerify"},
		{jwt, "Introspection.Keep", "defaultKeep", 10 * time.Second, "the issuer is asked again", jwt + " TestKeep"},
		{jwt, "maxToken", "maxToken", Bytes(16 << 10), "401", jwt + " TestVerify"},
		{jwt, "maxDocument", "maxDocument", Bytes(256 << 10), "503, as for an issuer that does not answer", jwt + " TestIssuerIsBounded"},
		{jwt, "requestTimeout", "requestTimeout", 10 * time.Second, "503", jwt + " TestIssuerIsBounded"},
		{jwt, "readAgain", "readAgain", 30 * time.Second, "keys are not read again before; a token that a newer key may have signed gets 503", jwt + " TestForgedKeys"},
		{jwt, "keepDocument", "keepDocument", time.Hour, "metadata and keys are read again", jwt + " TestKeysAreKept"},
		{jwt, "retryAfter", "retryAfter", 5 * time.Second, "503 until then, without asking the issuer", jwt + " TestKeysAreKept"},
		{jwt, "maxAnswers", "maxAnswers", 20_000, "the oldest answers of introspection are removed", jwt + " TestIntrospectionIsBounded"},
		{jwt, "maxAsking", "maxAsking", 100, "503", jwt + " TestIntrospectionIsBounded"},
	}
}

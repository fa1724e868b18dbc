package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Icon is an image by which something is shown. It comes from the peer: look at Safe
// before fetching it.
type Icon struct {
	// Src is the uri of the image; Validate wants http, https or data.
	Src string `json:"src" mcp:"icon"`
	// MIMEType is the MIME type of the image, if that of its source is missing or too general.
	MIMEType string `json:"mimeType,omitzero" mcp:"name"`
	// Sizes are the sizes at which it can be used, each as 48x48, or any.
	Sizes []string `json:"sizes,omitzero" mcp:"sizes"`
	// Theme is the background that it is made for; absent means both.
	Theme IconTheme `json:"theme,omitzero"`
}

// IconTheme is the background that an icon is made for.
type IconTheme string

// The themes.
const (
	ThemeLight IconTheme = "light"
	ThemeDark  IconTheme = "dark"
)

// Valid reports whether t is one of the two themes.
func (t IconTheme) Valid() bool { return t == ThemeLight || t == ThemeDark }

// Safe reports whether a client may fetch the icon: it is an https or data uri (ICON-004).
// Other schemes can reach what the peer cannot (basic, Icons, Security Considerations), and a
// spelling other than lower case is not worth a risk.
func (v Icon) Safe() bool {
	return strings.HasPrefix(v.Src, "https://") || strings.HasPrefix(v.Src, "data:")
}

// verifyIcon checks that an icon is an http, https or data uri (ICON-003).
func verifyIcon(src string) Reason {
	return unless((Icon{Src: src}.Safe() || strings.HasPrefix(src, "http://")) && ValidURI(src), ReasonValue)
}

// verifySizes checks that each size is any, or two numbers with an x between (ICON-006).
func verifySizes(list []string) Reason {
	for _, s := range list {
		width, height, ok := strings.Cut(s, "x")
		if s != "any" && !(ok && allDigits(width) && allDigits(height)) {
			return ReasonValue
		}
	}
	return 0
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// areIcons reports whether raw, the value of a member icons, is an array of icons. A reader
// leaves out the elements that are not (ICON-005).
func areIcons(raw string) bool {
	if !given(raw) {
		return true
	}
	list, ok := rawjson.Elements(raw)
	for val := range list.All {
		if new(Icon).read(Raw(val), jsonrpc.Span{}, mode{skim: true}) != nil {
			return false
		}
	}
	return ok && !list.Bad()
}

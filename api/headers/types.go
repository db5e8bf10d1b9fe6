package headers

import (
	"path"
	"strings"
)

// UnknownType is the media type of a file whose name does not reveal its type.
const UnknownType = "application/octet-stream"

// feedFile is the name of Atom feeds.
const feedFile = "feed.xml"

// types maps the extensions of files of a build output to media types.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".md":          "text/markdown; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".json":        "application/json",
	".jsonl":       "application/jsonl",
	".xml":         "application/xml",
	".webmanifest": "application/manifest+json",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".jpg":         "image/jpeg",
	".jpeg":        "image/jpeg",
	".webp":        "image/webp",
	".avif":        "image/avif",
	".gif":         "image/gif",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
	".woff":        "font/woff",
	".ttf":         "font/ttf",
	".otf":         "font/otf",
	".pdf":         "application/pdf",
	".gz":          TypeGzip,
}

// typesByName maps names of files to media types. It takes precedence over types.
var typesByName = map[string]string{
	"opensearch.xml":   "application/opensearchdescription+xml",
	PathAPICatalog[1:]: TypeAPICatalog,
	PathAICatalog[1:]:  TypeAICatalog,
	PathServerCard[1:]: TypeServerCard,
}

// ContentType returns the media type of a file of the build output by its path, with slashes.
func ContentType(name string) string {
	if t, ok := typesByName[name]; ok {
		return t
	}
	if path.Base(name) == feedFile {
		return "application/atom+xml"
	}
	if t, ok := types[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return UnknownType
}

package content

import (
	"strings"
	"testing"
)

func TestCheckSVG(t *testing.T) {
	const begin = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"`
	for _, text := range []string{
		begin + `><path d="M1 1h2.5l-.5 3z"/></svg>` + "\n",
		begin + ` fill-rule="evenodd"><g fill="currentColor"><circle cx="1" cy="2" r=".5"/></g></svg>`,
		begin + ` fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"><rect x="1" y="1" width="3" ` +
			`height="4" rx="1"/><line x1="1" x2="2" y1="-3" y2="4"/><polyline points="1,2 3,4"/></svg>`,
	} {
		if line, message := CheckSVG([]byte(text)); line != 0 || message != "" {
			t.Errorf("%s:%d: %s", text, line, message)
		}
	}
	const path = `<path d="M1 1h2"/>`
	for _, c := range []struct{ text, want string }{
		{``, "does not begin with"},
		{`<?xml version="1.0"?>` + begin + `>` + path + `</svg>`, "does not begin with"},
		{`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">` + path + `</svg>`, "does not begin with"},
		{begin + `><script>alert(1)</script></svg>`, `an element "script"`},
		{begin + `><style>path{}</style></svg>`, `an element "style"`},
		{begin + `><a href="https://example.org/">` + path + `</a></svg>`, `an element "a"`},
		{begin + `><image href="data:image/png;base64,AA"/></svg>`, `an element "image"`},
		{begin + `><use href="#a"/></svg>`, `an element "use"`},
		{begin + `><foreignObject/></svg>`, `an element "foreignObject"`},
		{begin + `><svg>` + path + `</svg></svg>`, `an element "svg"`},
		{begin + ` xmlns:x="http://www.w3.org/1999/xhtml"><x:script/></svg>`, `an attribute "x"`},
		{begin + `><path xmlns="http://www.w3.org/1999/xhtml" d="M1 1"/></svg>`, `an element "path"`},
		{begin + ` onload="alert(1)">` + path + `</svg>`, `an attribute "onload" of svg`},
		{begin + `><path d="M1 1" onclick="x"/></svg>`, `an attribute "onclick" of path`},
		{begin + `><path d="M1 1" style="fill:red"/></svg>`, `an attribute "style" of path`},
		{begin + `><path d="M1 1" id="a"/></svg>`, `an attribute "id" of path`},
		{begin + `><path d="M1 1" fill="url(#a)"/></svg>`, `fill="url(#a)" of path is not allowed`},
		{begin + `><path d="M1 1" fill="#f00"/></svg>`, `fill="#f00" of path is not allowed`},
		{begin + `><path d="M1 1&#34;"/></svg>`, `of path is not allowed`},
		{begin + `><circle cx="1e9" cy="1" r="calc(1)"/></svg>`, `cx="1e9" of circle is not allowed`},
		{begin + `>` + "\n" + `<title>Name</title>` + path + `</svg>`, `an element "title"`},
		{begin + `>text` + path + `</svg>`, "has text"},
		{begin + `><!-- c -->` + path + `</svg>`, "has a comment"},
		{begin + `>` + path + `&lol;</svg>`, "is not XML"},
		{begin + `>` + path + `</g>`, "is not XML"},
		{begin + `>` + path, "is not XML"},
		{begin + `></svg>`, "is not one drawing"},
		{begin + `>` + path + `</svg>` + begin + `>` + path + `</svg>`, "is not one drawing"},
	} {
		if _, message := CheckSVG([]byte(c.text)); !strings.Contains(message, c.want) {
			t.Errorf("%s: %q, want %q", c.text, message, c.want)
		}
	}
}

// What passes has no way to run, load or link anything.
func FuzzCheckSVG(f *testing.F) {
	f.Add(SVGRoot + `><path d="M1 1h2"/></svg>`)
	f.Add(SVGRoot + `><g fill="none"><circle r="1"/></g></svg>`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, message := CheckSVG([]byte(text)); message != "" {
			return
		}
		for _, bad := range []string{"script", "href", "style", "url(", "<!", "<?", "on"} {
			if rest := strings.NewReplacer("evenodd", "", "none", "", "nonzero", "", "polygon", "", "currentColor", "").Replace(
				text); strings.Contains(strings.ToLower(rest), bad) {
				t.Errorf("%q passes with %q", text, bad)
			}
		}
	})
}

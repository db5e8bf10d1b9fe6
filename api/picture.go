package api

// Picture is the value of a fact of the kind picture.
type Picture struct {
	URL    string `json:"url" jsonschema:"Address of the picture: WebP, PNG or JPEG. It changes with the picture."`
	Alt    string `json:"alt" jsonschema:"What one sees, in words."`
	Width  int    `json:"width" jsonschema:"In pixels."`
	Height int    `json:"height" jsonschema:"In pixels."`
	Source string `json:"source" jsonschema:"Where the picture is from: a URL or a citation."`
}

// PictureFile is how front matter states a Picture.
type PictureFile struct {
	File   string `json:"file"` // its path below the content folder: pictures/NAME.webp
	Alt    string `json:"alt"`
	Source string `json:"source"`
}

// pictureForm is how front matter states a picture.
const pictureForm = "{file: pictures/NAME.webp, alt: what one sees, source: where it is from}"

// SetShort implements strictyaml.Shorthand: no scalar stands for a picture.
func (*PictureFile) SetShort(any) (remedy string) { return "write " + pictureForm }

// Pictures returns the values of all facts of the kind picture that are known.
func (v FactValues) Pictures() (list []Picture) {
	for i := range v {
		if p, ok := v[i].Value.(Picture); ok {
			list = append(list, p)
		}
	}
	return list
}

func (p Picture) text(*Fact) string { return p.Alt }

func (p Picture) says(quote func(string) string) string { return quote(p.Alt) + " " + p.URL }

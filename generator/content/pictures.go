package content

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/spelling"
	"catalog.example/generator/memo"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
	"golang.org/x/image/webp"
)

// PicturesFolder is the folder of pictures, below the content folder.
const PicturesFolder = "pictures"

// NoticesFile is the file of PicturesFolder with the notices that the licences of pictures ask for.
const NoticesFile = "NOTICES.txt"

// Limits of pictures, so that a page with one stays fast.
const (
	maxPicture     = 150 << 10 // bytes
	minPictureSide = 64        // pixels; smaller ones show nothing
	maxPictureSide = 2000      // pixels; twice the width of a page
	minAlt, maxAlt = 15, 250   // characters
	maxNotices     = 256 << 10 // bytes
)

// Picture is a picture of the content folder.
type Picture struct {
	File          string // below the content folder, with slashes
	Path          string // its path in the site, which has a hash of its content; "" if it cannot be shown
	Width, Height int    // in pixels
	Problem       string // why it cannot be shown; "" if it can

	dir string // the content folder
}

// Read returns the content of the picture. It returns an error if the file has changed since it was
// loaded.
func (p *Picture) Read() ([]byte, error) {
	text, err := regular.ReadFile(filepath.Join(p.dir, filepath.FromSlash(p.File)), maxPicture)
	if err == nil && "/"+assetName(p.File, text) != p.Path {
		err = errors.New("has changed since the build began: build again")
	}
	if err != nil {
		return nil, fmt.Errorf("picture %s: %w", p.File, err)
	}
	return text, nil
}

// assetName returns the name of a picture in the site.
func assetName(file string, text []byte) string {
	return headers.HashedName("assets/"+path.Base(file), text)
}

// pictureFormat is a format of pictures.
type pictureFormat struct {
	config func(io.Reader) (image.Config, error)
	// isWhole reports whether a file ends where its format says. hasExif reports whether it has metadata
	// in the Exif format.
	isWhole, hasExif func(text []byte) bool
}

// pictureFormats has the formats that all browsers show, by the ending of the file.
var pictureFormats = map[string]pictureFormat{
	".webp": {webp.DecodeConfig,
		func(text []byte) bool {
			return len(text) >= 12 && int(binary.LittleEndian.Uint32(text[4:]))+8 == len(text)
		},
		func(text []byte) bool {
			const exif = 1 << 3 // of the flags of an extended file (RFC 9649)
			return len(text) > 20 && string(text[12:16]) == "VP8X" && text[20]&exif != 0
		}},
	".png": {png.DecodeConfig,
		func(text []byte) bool { return bytes.HasSuffix(text, []byte("\x00\x00\x00\x00IEND\xaeB`\x82")) },
		func(text []byte) bool { return bytes.Contains(text, []byte("eXIf")) }},
	".jpg": {jpeg.DecodeConfig,
		func(text []byte) bool { return bytes.HasSuffix(text, []byte("\xff\xd9")) },
		func(text []byte) bool { return bytes.Contains(text, []byte("Exif\x00\x00")) }},
}

// pictureFile matches the paths of pictures that listings and pages can show. pictureInText finds them in a text.
var (
	pictureFile   = regexp.MustCompile(`^` + pictureInText.String() + `$`)
	pictureInText = regexp.MustCompile(PicturesFolder + `/[a-z0-9]+(-[a-z0-9]+)*\.(webp|png|jpg)`)
)

// pictures loads the pictures of the content folder, and their notices.
func (l *loader) pictures() (list []Picture, notices string, err error) {
	folder := filepath.Join(l.options.Dir, PicturesFolder)
	switch info, err := os.Lstat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case err != nil:
		return nil, "", fmt.Errorf("pictures: %w", err)
	case !info.IsDir():
		l.find(Finding{PicturesFolder, 1, 1, rule.File, "is not a folder: put pictures in a folder of this name"})
		return nil, "", nil
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		p := Picture{File: PicturesFolder + "/" + e.Name(), dir: l.options.Dir}
		switch {
		case err != nil:
		case pictureFile.MatchString(p.File): // others are reported where a listing names them
			err = p.load(e.Type())
			list = append(list, p)
		case e.Name() == NoticesFile && e.Type().IsRegular(): // a link could lead out of the content folder
			var text []byte
			text, _, err = l.read(p.File, maxNotices)
			notices = strings.TrimSpace(string(text))
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("pictures: %w", err)
	}
	return list, notices, nil
}

// load reads and checks a picture.
func (p *Picture) load(kind fs.FileMode) error {
	if kind&fs.ModeSymlink != 0 { // it could lead out of the content folder
		p.Problem = "is a link: put the picture itself there"
		return nil
	}
	text, err := regular.ReadFile(filepath.Join(p.dir, filepath.FromSlash(p.File)), maxPicture)
	if wrong, ok := errors.AsType[*regular.Error](err); ok {
		p.Problem = wrong.Reason
		return nil
	}
	if err != nil {
		return err
	}
	format := pictureFormats[path.Ext(p.File)]
	config, err := format.config(bytes.NewReader(text))
	p.Width, p.Height = config.Width, config.Height
	least, most := min(p.Width, p.Height), max(p.Width, p.Height)
	switch {
	case err != nil:
		p.Problem = fmt.Sprintf("cannot be read as %s (%v): save the picture in the format of its ending",
			strings.ToUpper(path.Ext(p.File)[1:]), err)
	case !format.isWhole(text):
		p.Problem = "is cut short, or has something after the picture: save it again"
	case least < minPictureSide || most > maxPictureSide:
		p.Problem = fmt.Sprintf("has %d by %d pixels: %d to %d are allowed for each side", p.Width, p.Height,
			minPictureSide, maxPictureSide)
	case format.hasExif(text):
		p.Problem = "has Exif metadata, which may tell who made it, where and when: save it without"
	default:
		p.Path = "/" + assetName(p.File, text)
	}
	return nil
}

// keyWith returns a key that changes with the pictures.
func keyWith(key memo.Key, pictures []Picture) memo.Key {
	if len(pictures) == 0 {
		return key
	}
	text, err := json.Marshal(pictures)
	if err != nil { // texts and numbers
		return memo.Key{}
	}
	return memo.KeyOf("pictures", key[:], text)
}

// usedPictures returns the pictures that listings and pages name, and warns of the others, unless a translated page
// names them.
func (l *loader) usedPictures(c *Content) []Picture {
	var translated []byte
	for _, file := range c.Translated() {
		if text, _, err := l.read(file, maxPage); err == nil && path.Dir(file) == "pages" {
			translated = append(translated, text...)
		}
	}
	named, unread := map[string]bool{}, false // what is not read may name any
	add := func(text []byte) {
		for _, file := range pictureInText.FindAll(text, -1) {
			named[string(file)] = true
		}
	}
	if len(c.Pictures) > 0 {
		for _, x := range c.Listings {
			unread = unread || x.unread
			add(x.frontMatter)
		}
		for _, x := range c.Pages {
			unread = unread || x.frontMatter == nil
			add([]byte(x.Body))
		}
	}
	return slices.DeleteFunc(c.Pictures, func(p Picture) bool {
		isUsed := unread || named[p.File]
		if !isUsed && !bytes.Contains(translated, []byte(p.File)) {
			l.find(Finding{p.File, 1, 1, rule.UnusedPicture,
				"no listing and no page shows this picture: name it in one, or remove it"})
		}
		return !isUsed || p.Problem != ""
	})
}

// pictureNamed returns one of the pictures by its file, or what is wrong with the name or the picture.
func pictureNamed(pictures []Picture, file string) (p *Picture, problem string) {
	i := slices.IndexFunc(pictures, func(p Picture) bool { return p.File == file })
	switch {
	case !pictureFile.MatchString(file):
		return nil, fmt.Sprintf("%s is not the path of a picture: write %s/NAME.webp, NAME.png or NAME.jpg, where "+
			"NAME has lower-case letters and digits, in groups joined by single hyphens", quote(file), PicturesFolder)
	case i < 0:
		var files []string
		for _, p := range pictures {
			files = append(files, p.File)
		}
		return nil, fmt.Sprintf("the content folder has no file %s: put the picture there, or correct the path%s",
			quote(file), spelling.Hint(file, files))
	case pictures[i].Problem != "":
		return nil, file + " " + pictures[i].Problem
	}
	return &pictures[i], ""
}

// picture checks the value of a fact of the kind picture, and returns what the catalogue shows of it: an
// api.Picture, or nil if it is wrong.
func (k *listingCheck) picture(f *api.Fact, given api.PictureFile) any {
	path := func(key string) []any { return at(factsKey, f.Key, key) }
	p, problem := pictureNamed(k.pictures, given.File)
	if given.File == "" {
		k.add(rule.Missing, path("file"), "is missing, but required: write %s/NAME.webp", PicturesFolder)
	} else {
		k.failIf(problem, path("file")...)
	}
	if k.filled(given.Alt, maxAlt, path("alt")...) {
		k.failIf(altProblem(given.Alt), path("alt")...)
	}
	k.filled(given.Source, maxSource, path("source")...)
	if problem != "" {
		return nil
	}
	return api.Picture{URL: k.settings.URL(p.Path), Alt: given.Alt, Width: p.Width, Height: p.Height,
		Source: given.Source}
}

// needlessAlt matches the beginnings of alternative texts that say only that there is a picture.
var needlessAlt = regexp.MustCompile(`(?i)^(an?|the)?\s*(screen ?shot|screen ?capture|picture|image|photo(graph)?)\b`)

// altProblem returns what is wrong with an alternative text, or "".
func altProblem(alt string) string {
	switch n := utf8.RuneCountInString(alt); {
	case needlessAlt.MatchString(alt):
		return "says that it is a picture, which screen readers say anyway: begin with what one sees"
	case n < minAlt:
		return fmt.Sprintf("has %d characters, too few to say what one sees: write %d to %d", n, minAlt, maxAlt)
	}
	return ""
}

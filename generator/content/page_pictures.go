package content

import (
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Pages show pictures of PicturesFolder, such as ![A fjord at dawn](../pictures/fjord.webp), with their sizes, so that
// nothing moves while they load. Listings show pictures as facts, and images of other sites are links.

// imageProblem says what is wrong with a picture of a page.
type imageProblem struct {
	message string
	offset  int // in the text, in bytes
}

// showPictures prepares the images of a parsed text that are pictures of the content folder. It returns these images
// with their offsets, also wrong ones, and what is wrong.
func (p place) showPictures(doc ast.Node, source []byte) (shown map[ast.Node]int, wrong []imageProblem) {
	if !p.showsPictures {
		return nil, nil
	}
	shown = map[ast.Node]int{}
	for n := range nodes(doc) {
		image, ok := n.(*ast.Image)
		if !ok {
			continue
		}
		address := string(image.Destination)
		file := path.Join(path.Dir(p.file), address)
		isElsewhere := scheme.MatchString(address) || strings.HasPrefix(address, "/")
		if isElsewhere || !strings.HasPrefix(file, PicturesFolder+"/") {
			continue
		}
		shown[n] = max(n.Pos(), 0)
		picture, problem := pictureNamed(p.pictures, file)
		if problem == "" {
			problem = altProblem(ShownText(n, source))
		}
		if problem != "" {
			wrong = append(wrong, imageProblem{problem, shown[n]})
			continue
		}
		image.Destination = []byte(p.settings.BasePath() + picture.Path)
		image.SetAttributeString("width", []byte(strconv.Itoa(picture.Width)))
		image.SetAttributeString("height", []byte(strconv.Itoa(picture.Height)))
		image.SetAttributeString("loading", []byte("lazy"))
	}
	return shown, wrong
}

package server

import (
	"bytes"
	"html"
	"net/http"
	"net/url"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// searchFile is the page that searches. Its script reads the address. Without JavaScript, browsers show the
// page as it is sent, so it is sent with the words of its address in their field.
const searchFile = "search/" + indexFile

// searchField is the beginning of the field on that page.
const searchField = `<input id="q" name="q"`

// searchPage answers with the page that searches, with the words of the request in its field. The response is
// nil if the request is for another page, has no words, or the page has no such field.
func (reps *representations) searchPage(req *request) (*response, error) {
	words := wordsOf(req.r.URL.RawQuery)
	if req.file.name != searchFile || words == "" {
		return nil, nil
	}
	rep, opened, err := reps.loadFile(req.snapshot, searchFile)
	if opened != nil { // larger than maxKept
		_ = opened.Close()
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	before, behind, found := bytes.Cut(rep.body, []byte(searchField))
	if !found {
		return nil, nil
	}
	res := &response{
		status: http.StatusOK, contentType: rep.contentType, link: rep.link, cacheControl: headers.CacheOf(searchFile),
	}
	tag, accepts := tagOf([]byte(rep.tag+words)), acceptanceOf(req.r.Header)
	coding, held := heldCoding(req.r.Header, tag, &accepts)
	if held {
		res.status = http.StatusNotModified
	} else {
		res.buffer = reps.takeBuffer()
		value := searchField + ` value="` + html.EscapeString(words) + `"`
		res.buffer.bytes = append(append(append(res.buffer.bytes, before...), value...), behind...)
		res.body = res.buffer.bytes
		coding = reps.compressFresh(res, &accepts)
	}
	res.etag = etagOf(tag, coding)
	return res, nil
}

// wordsOf returns the text that a query string searches for, as far as a search takes it.
func wordsOf(rawQuery string) string {
	if rawQuery == "" {
		return ""
	}
	query, _ := url.ParseQuery(rawQuery) // what is wrong in it is left out
	words := []rune(strings.ToValidUTF8(strings.TrimSpace(query.Get("q")), ""))
	return string(words[:min(len(words), api.MaxQueryLength)])
}

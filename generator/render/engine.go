package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"catalog.example/generator/engine"
	"catalog.example/generator/lzma"
	"catalog.example/generator/memo"
)

// Engine is what pages load to search without a server.
type Engine struct {
	Module engine.Module
	Index  []byte // by search.Builder.EncodeCompact
}

// enginePart is a file of the engine, for its script.
type enginePart struct {
	Name     string `json:"name"`     // beside the script
	Size     int    `json:"size"`     // in bytes
	Unpacked int    `json:"unpacked"` // its size without the compression, in bytes
}

// prepareEngine names the files of the engine: its program, its index, and the script of
// the worker that loads both.
func (s *Shared) prepareEngine() error {
	if s.Engine == nil {
		return nil
	}
	program := s.Engine.Module.Program
	unpacked, err := lzma.Size(program)
	if err != nil {
		return fmt.Errorf("the search engine: %w: build the program with `make build`", err)
	}
	index, err := memo.Of(s.Memo, memo.KeyOf("compressed index", s.Engine.Index), func() (string, error) {
		return string(lzma.Encode(s.Engine.Index)), nil
	})
	if err != nil {
		return err
	}
	parts, err := json.Marshal(map[string]enginePart{
		"program": s.enginePart("assets/search.wasm.lzma", program, unpacked),
		"index":   s.enginePart("assets/search.idx.lzma", []byte(index), len(s.Engine.Index)),
	})
	if err != nil {
		return err
	}
	var script, code bytes.Buffer
	fmt.Fprintf(&script, "/*\n%s*/\n", engine.Licenses)
	fmt.Fprintf(&code, "%s\n(() => {\n\"use strict\";\nconst ENGINE = %s;\n", s.Engine.Module.Runtime, parts)
	for _, name := range []string{"assets/unlzma.js", "assets/worker.js"} {
		text, err := fs.ReadFile(s.Site.Templates, name)
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		code.Write(text)
	}
	code.WriteString("})();\n")
	if err := s.minify(&script, "assets/search.js", code.Bytes()); err != nil {
		return err
	}
	s.View.Engine = "assets/" + s.enginePart("assets/search.js", script.Bytes(), script.Len()).Name
	return nil
}

// enginePart keeps a file of the engine as an asset.
func (s *Shared) enginePart(name string, content []byte, unpacked int) enginePart {
	return enginePart{path.Base(s.keep(name, content)), len(content), unpacked}
}

package render

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"catalog.example/generator/engine"
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
	var index bytes.Buffer
	w, err := gzip.NewWriterLevel(&index, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(s.Engine.Index); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	program := s.Engine.Module.Program
	if len(program) < 4 {
		return errors.New("the search engine is empty: build the program with `make build`")
	}
	unpacked := binary.LittleEndian.Uint32(program[len(program)-4:]) // RFC 1952, section 2.3.1: ISIZE
	parts, err := json.Marshal(map[string]enginePart{
		"program": s.enginePart("assets/search.wasm.gz", program, int(unpacked)),
		"index":   s.enginePart("assets/search.idx.gz", index.Bytes(), len(s.Engine.Index)),
	})
	if err != nil {
		return err
	}
	worker, err := fs.ReadFile(s.Site.Templates, "assets/worker.js")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	var script bytes.Buffer
	fmt.Fprintf(&script, "/*\n%s*/\n", engine.Licenses)
	code := fmt.Appendf(nil, "%s\n(() => {\n\"use strict\";\nconst ENGINE = %s;\n%s})();\n",
		s.Engine.Module.Runtime, parts, worker)
	if err := s.minify(&script, "assets/search.js", code); err != nil {
		return err
	}
	s.View.Engine = "assets/" + s.enginePart("assets/search.js", script.Bytes(), script.Len()).Name
	return nil
}

// enginePart keeps a file of the engine as an asset.
func (s *Shared) enginePart(name string, content []byte, unpacked int) enginePart {
	return enginePart{path.Base(s.keep(name, content)), len(content), unpacked}
}

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/output"
)

// roundUp rounds bytes up to steps of 0.05 GB up to 1 GB, and of 0.1 GB above, because more digits
// would suggest more precision than the runs have.
func roundUp(bytes, gigabyte int64) float64 {
	steps := 20.0
	if bytes > gigabyte {
		steps = 10
	}
	return math.Ceil(float64(bytes)/float64(gigabyte)*steps-1e-9) / steps
}

// Memory is sold in powers of two, and disks in powers of ten.
const (
	gigabyteRAM  = 1 << 30
	gigabyteDisk = 1_000_000_000
)

// line returns the setup of a recipe as a line of front matter. node is the version of Node.js, or
// "".
func (r *Recipe) line(f *Figures, day, system, node string) string {
	how := fmt.Sprintf("largest memory in %s (PSS of all its processes, or RSS of one)", api.Count(f.runs, "run"))
	if r.Start != "" {
		how += fmt.Sprintf("; %d MB when started, ready after %s", f.Started>>20, f.readyText())
	} else {
		how += "; it took " + f.readyText()
	}
	if node != "" {
		how += "; Node.js " + node
	}
	figures := "ramGb: " + number(roundUp(f.Peak, gigabyteRAM))
	if len(r.Uses) == 0 {
		figures += ", diskGb: " + number(roundUp(f.Disk, gigabyteDisk))
	}
	if r.ModelsElsewhere {
		figures += ", modelsElsewhere: true"
	}
	job := "null"
	if r.Job != nil {
		job = strconv.Quote(*r.Job)
	}
	// Go's quotation marks are YAML's, too.
	return fmt.Sprintf("  - {for: %q, %s, level: %s, measured: {version: %q, date: %s, os: %q, how: %q, job: %s}}\n",
		r.For, figures, hardware.LevelExample, r.Version, day, system, how, job)
}

func number(gb float64) string { return strconv.FormatFloat(gb, 'f', -1, 64) }

// write puts the figures into the listing, in place of those that were measured before.
func write(folder string, r *Recipe, f *Figures, day string) error {
	node := r.Node
	if node == "" && r.Registry == npm {
		node = nodeVersion()
	}
	settings := site.Defaults()
	form, err := content.LoadFrontMatter(folder, &settings)
	if err != nil {
		return err
	}
	name := filepath.Join(folder, "projects", r.slug+".md")
	before, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	changed, err := withSetup(string(before), r.line(f, day, systemName(), node))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	after, err := form.Format([]byte(changed))
	if wrong, ok := errors.AsType[*canonical.Error](err); ok {
		return located(name, wrong.Problems)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return output.WriteFile(name, after)
}

// withSetup returns a listing with a line in its setups, after the others, and without the lines
// of earlier measurements.
func withSetup(listing, line string) (string, error) {
	lines := strings.SplitAfter(listing, "\n")
	below := slices.Index(lines[1:], "---\n") + 1
	if below == 0 {
		return "", errors.New("has no line --- below its front matter")
	}
	at := slices.IndexFunc(lines[:below], func(l string) bool { return strings.HasPrefix(l, "setups:") })
	if at < 0 { // the order of keys is corrected later
		at = below
		lines = slices.Insert(lines, at, "setups:\n")
	}
	switch rest := strings.TrimSpace(strings.TrimPrefix(lines[at], "setups:")); rest {
	case "", "[]", "null":
		lines[at] = "setups:\n"
	default:
		return "", errors.New("has its setups on one line: run catalog fmt first")
	}
	end := at + 1
	for end < len(lines) && strings.HasPrefix(lines[end], " ") {
		if strings.Contains(lines[end], "measured: {") {
			lines = slices.Delete(lines, end, end+1)
		} else {
			end++
		}
	}
	return strings.Join(slices.Insert(lines, end, line), ""), nil
}

// systemName returns the name and version of the system and the processor: "Debian GNU/Linux 12,
// amd64, 2 cores".
func systemName() string {
	values := map[string]string{}
	text, _ := os.ReadFile("/etc/os-release") // without it, only the processor is named
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[key] = strings.Trim(value, `"`)
	}
	name := strings.TrimSpace(values["NAME"] + " " + values["VERSION_ID"])
	return strings.TrimPrefix(fmt.Sprintf("%s, %s, %d cores", name, runtime.GOARCH, runtime.NumCPU()), ", ")
}

// nodeVersion returns the version of Node.js, or "".
func nodeVersion() string {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
}

package atlas

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updateLand = flag.String("update-land", "", "a folder with the npm package world-atlas, of which to make the outlines of land anew")

const (
	landFile = "../../templates/assets/land.svg"
	// perDegree is the number of units of the outlines in a degree.
	perDegree = 10
	// detail is the area, in square degrees at the equator, of the smallest corner that stays. islet is that of the
	// smallest island.
	detail = 0.026
	islet  = 0.03
	// maxLand bounds the file.
	maxLand, maxZippedLand = 30_000, 15_000
)

// TestLand checks the outlines: their size, their source, and some places on land and at sea. With -update-land, it
// makes them first.
func TestLand(t *testing.T) {
	if *updateLand != "" {
		writeLand(t)
	}
	text, err := os.ReadFile(landFile)
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d compressed", len(text), zipped.Len())
	if len(text) > maxLand || zipped.Len() > maxZippedLand {
		t.Error("the outlines are larger than pages should load")
	}
	if !strings.Contains(string(text), "Natural Earth") || !strings.Contains(string(text), "Permission to use") {
		t.Error("the outlines do not say where they come from, and on which terms")
	}
	rings := ringsOf(t, string(text))
	for _, r := range rings {
		for _, p := range r {
			if p.x < -180*perDegree || p.x > (180+beyond)*perDegree || math.Abs(p.y) > 90*perDegree {
				t.Errorf("a point is at %g, %g", p.x/perDegree, -p.y/perDegree)
			}
		}
	}
	for name, want := range map[string]struct {
		latitude, longitude float64
		isLand              bool
	}{
		"Berlin": {52.52, 13.4, true}, "Nairobi": {-1.29, 36.82, true}, "the South Pole": {-89.5, 0, true},
		"Chukotka, west of 180°": {67.5, 179, true}, "Chukotka, east of it": {66.5, -178, true},
		"Sicily": {37.5, 14.2, true}, "Tasmania": {-42, 146.5, true},
		"the Atlantic": {30, -40, false}, "the Caspian Sea": {42, 50.5, false}, "the Baltic Sea": {58, 20, false},
		"the Arctic Ocean": {89, 0, false}, "the Sea of Japan": {40, 135, false},
	} {
		inside := false
		for _, turn := range []float64{0, 360} { // as a map draws them
			for _, ring := range rings {
				inside = inside != ring.has(point{(want.longitude + turn) * perDegree, -want.latitude * perDegree})
			}
		}
		if inside != want.isLand {
			t.Errorf("%s is on land: %t", name, inside)
		}
	}
}

// point is a point of the outlines, in units. The north is up.
type point struct{ x, y float64 }

// ring is a closed line.
type ring []point

// has reports whether a point is inside, by the even-odd rule.
func (r ring) has(p point) (inside bool) {
	for i, a := range r {
		b := r[(i+1)%len(r)]
		if (a.y > p.y) != (b.y > p.y) && p.x < a.x+(p.y-a.y)/(b.y-a.y)*(b.x-a.x) {
			inside = !inside
		}
	}
	return inside
}

// weight is what an area at a latitude counts for. Maps of the far north and south are rare, so they have less detail
// than others of the same size on Earth.
func weight(y float64) float64 { return math.Max(0.01, math.Pow(math.Cos(y/perDegree*math.Pi/180), 2)) }

// size returns the area of the triangle of three points, in square degrees by weight.
func size(a, b, c point) float64 {
	area := math.Abs((b.x-a.x)*(c.y-a.y)-(c.x-a.x)*(b.y-a.y)) / 2
	return area / (perDegree * perDegree) * weight(b.y)
}

// area returns the area of the ring in the same unit.
func (r ring) area() (sum float64) {
	for i, a := range r {
		b := r[(i+1)%len(r)]
		sum += (a.x*b.y - b.x*a.y) / 2
	}
	return math.Abs(sum) / (perDegree * perDegree) * weight(r[0].y)
}

// simple returns the ring without its least corners, by the method of Visvalingam and Whyatt.
func (r ring) simple() ring {
	r = slices.Clone(r)
	for len(r) > 3 {
		least, at := math.Inf(1), 0
		for i := range r {
			if s := size(r[(i+len(r)-1)%len(r)], r[i], r[(i+1)%len(r)]); s < least {
				least, at = s, i
			}
		}
		if least >= detail {
			break
		}
		r = slices.Delete(r, at, at+1)
	}
	return r
}

// numbers matches the numbers of a path.
var numbers = regexp.MustCompile(`-?\d+`)

// ringsOf reads the rings of the outlines, whose path has relative coordinates.
func ringsOf(t *testing.T, text string) (rings []ring) {
	t.Helper()
	_, path, ok := strings.Cut(text, ` d="m`)
	path, _, _ = strings.Cut(path, `"`)
	if !ok {
		t.Fatal("there is no path")
	}
	var start point
	for _, part := range strings.Split(strings.TrimSuffix(path, "z"), "zm") {
		var r ring
		list := numbers.FindAllString(part, -1)
		at := start
		for i := 0; i+1 < len(list); i += 2 {
			x, _ := strconv.Atoi(list[i])
			y, _ := strconv.Atoi(list[i+1])
			at = point{at.x + float64(x), at.y + float64(y)}
			r = append(r, at)
		}
		start, rings = r[0], append(rings, r)
	}
	return rings
}

// topology is a file of world-atlas, in the format TopoJSON.
type topology struct {
	Transform struct{ Scale, Translate [2]float64 }
	Arcs      [][][2]float64 // each point but the first is relative
	Objects   struct {
		Land struct {
			Geometries []struct{ Arcs [][][]int } // polygons, their rings, the arcs of these
		}
	}
}

// ring returns the ring of some arcs. ^n is the arc n backwards.
func (f *topology) ring(arcs []int) (r ring) {
	for _, n := range arcs {
		var line ring
		x, y := 0., 0.
		for _, step := range f.Arcs[max(n, ^n)] {
			x, y = x+step[0], y+step[1]
			line = append(line, point{perDegree * (x*f.Transform.Scale[0] + f.Transform.Translate[0]),
				-perDegree * (y*f.Transform.Scale[1] + f.Transform.Translate[1])})
		}
		if n < 0 {
			slices.Reverse(line)
		}
		r = append(r, line[:len(line)-1]...) // the last point is the first of the next arc
	}
	return r.unrolled()
}

// unrolled returns the ring without jumps from 180° east to 180° west: it goes on beyond 180° east. A ring around the
// South Pole begins at 180° west and ends at the pole.
func (r ring) unrolled() ring {
	const turn = 360 * perDegree
	west, turns := 0, 0. // where it begins; turns eastwards
	for i := range r {
		if step := r[i].x - r[(i+len(r)-1)%len(r)].x; step < -turn/2 {
			west, turns = i, turns+1
		} else if step > turn/2 {
			turns--
		}
	}
	if turns < 0 {
		slices.Reverse(r)
		return r.unrolled()
	}
	r = slices.Concat(r[west:], r[:west])
	least, shift := r[0].x, 0.
	for i := 1; i < len(r); i++ {
		if step := r[i].x + shift - r[i-1].x; step < -turn/2 {
			shift += turn
		} else if step > turn/2 {
			shift -= turn
		}
		r[i].x += shift
		least = min(least, r[i].x)
	}
	for i := range r {
		if least < -turn/2 {
			r[i].x += turn
		}
	}
	if turns > 0 {
		r = append(r, point{turn / 2, 90 * perDegree}, point{-turn / 2, 90 * perDegree})
		r[0].x, r[len(r)-3].x = -turn/2, turn/2
	}
	return r
}

// writeLand makes the outlines.
func writeLand(t *testing.T) {
	t.Helper()
	read := func(name string, into any) []byte {
		text, err := os.ReadFile(filepath.Join(*updateLand, name))
		if err == nil && into != nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var world topology
	var about struct{ Name, Version, License string }
	read("land-50m.json", &world)
	read("package.json", &about)
	var path strings.Builder
	var start point
	for _, geometry := range world.Objects.Land.Geometries {
		for _, polygon := range geometry.Arcs {
			for _, arcs := range polygon {
				r := world.ring(arcs)
				if r.area() < islet {
					continue
				}
				start = r.simple().write(&path, start)
			}
		}
	}
	notice := fmt.Sprintf("The outlines of land are those of Natural Earth, 1:50m, which are in the public domain: "+
		"https://www.naturalearthdata.com\nThey come from %s %s (%s), and have been simplified:\n\n%s",
		about.Name, about.Version, about.License, strings.TrimSpace(string(read("LICENSE", nil))))
	text := fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\"><!--\n%s\n-->\n<path id=\"land\" transform=\"scale(%g)\" "+
		"fill-rule=\"evenodd\" d=\"%s\"/></svg>\n", notice, 1./perDegree, path.String())
	if err := os.WriteFile(landFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// write writes a ring as a part of a path, relative to the start of the part before, and returns its own start. Rings
// that have no extent in whole units are left out.
func (r ring) write(path *strings.Builder, before point) (start point) {
	var whole ring
	for _, p := range r {
		if p = (point{math.Round(p.x), math.Round(p.y)}); len(whole) == 0 || whole[len(whole)-1] != p {
			whole = append(whole, p)
		}
	}
	if len(whole) < 3 {
		return before
	}
	at := before
	for i, p := range whole {
		command := " "
		if i == 0 {
			command = "m"
		}
		x, y := fmt.Sprint(p.x-at.x), fmt.Sprint(p.y-at.y)
		if i > 0 && x[0] == '-' {
			command = ""
		}
		if y[0] != '-' {
			y = " " + y
		}
		path.WriteString(command + x + y)
		at = p
	}
	path.WriteString("z")
	return whole[0]
}

package api

import (
	"math"
	"strconv"
	"strings"
)

// Place is the value of a fact of the kind place.
type Place struct {
	Latitude  float64 `json:"latitude" jsonschema:"In degrees, from -90 in the south to 90 in the north (WGS 84)."`
	Longitude float64 `json:"longitude" jsonschema:"In degrees, from -180 in the west to 180 in the east."`
	Name      string  `json:"name" jsonschema:"What people call it."`
}

// statedPlace is how front matter states a Place.
type statedPlace struct {
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Name      string   `json:"name"`
}

// placeForm is how front matter states a place.
const placeForm = "{name: Berlin, latitude: 52.52, longitude: 13.4}"

// SetShort implements strictyaml.Shorthand: no scalar stands for a place.
func (*statedPlace) SetShort(any) (remedy string) { return "write " + placeForm }

// readPlace checks a statedPlace, and returns the Place.
func readPlace(_ *Fact, stated any) (any, []ValueProblem) {
	s := stated.(statedPlace)
	if s.Latitude == nil || s.Longitude == nil || strings.TrimSpace(s.Name) == "" {
		return nil, problem("needs a latitude, a longitude and a name: write " + placeForm)
	}
	p := Place{*s.Latitude, *s.Longitude, s.Name}
	for _, degrees := range []struct {
		key        string
		value, end float64
	}{{"latitude", p.Latitude, 90}, {"longitude", p.Longitude, 180}} {
		if least := -degrees.end; math.Abs(degrees.value) > degrees.end {
			return nil, problem(Locale{}.number(degrees.value)+" is out of bounds: "+
				NumberBounds(&least, &degrees.end)+" is allowed", degrees.key)
		}
	}
	return p, nil
}

// figuresOfPlace returns the latitude and the longitude.
func figuresOfPlace(_ *Fact, value any) (latitude, longitude float64, ok bool) {
	p, ok := value.(Place)
	return p.Latitude, p.Longitude, ok
}

func (p Place) text(*Fact) string { return p.Name }

func (p Place) says(quote func(string) string) string {
	return quote(p.Name) + " (" + Locale{}.number(p.Latitude) + ", " + Locale{}.number(p.Longitude) + ")"
}

// circle is where a filter by place finds listings.
type circle struct{ latitude, longitude, km float64 }

// The form of a parameter by place.
const (
	PlaceForms   = "LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,KM"
	PlacePattern = `^` + degrees + `,` + degrees + `(, *[0-9]{1,15}(\.[0-9]{1,15})? *)?$`
	DefaultKM    = 25 // the radius if the parameter names none

	degrees = ` *-?[0-9]{1,15}(\.[0-9]{1,15})? *` // maps copy blanks; phones give many digits
)

// circleOf parses a parameter by place.
func circleOf(text string) (c circle, ok bool) {
	parts := strings.Split(text, ",")
	if len(parts) == 2 {
		parts = append(parts, strconv.Itoa(DefaultKM))
	}
	if len(parts) != 3 || strings.Contains(parts[2], "-") {
		return c, false
	}
	for i, part := range []*float64{&c.latitude, &c.longitude, &c.km} {
		text := strings.Trim(parts[i], " ")
		if !isDecimal(text, 15) {
			return c, false
		}
		*part, _ = strconv.ParseFloat(text, 64) // isDecimal has checked it
	}
	return c, math.Abs(c.latitude) <= 90 && math.Abs(c.longitude) <= 180
}

// has reports whether a place lies in the circle; NaN lies in none.
func (c *circle) has(latitude, longitude float64) bool {
	middle := Place{Latitude: c.latitude, Longitude: c.longitude}
	return middle.KMTo(Place{Latitude: latitude, Longitude: longitude}) <= c.km
}

// Coordinates returns the latitude and the longitude in degrees, to a tenth of a metre, with a text between them.
func (p Place) Coordinates(between string) string {
	number := func(n float64) string { return strconv.FormatFloat(math.Round(n*1e6)/1e6, 'f', -1, 64) }
	return number(p.Latitude) + between + number(p.Longitude)
}

// Around returns the value of a parameter by place that finds what is at most some kilometres away.
func (p Place) Around(km float64) string {
	return p.Coordinates(",") + "," + strconv.Itoa(int(km)+1) // whole ones, rounded up
}

// MiddleOf returns a place in the middle of some places, of which there is at least one, to about ten metres. They may
// lie on both sides of 180° east.
func MiddleOf(places []Place) Place {
	first := places[0]
	var north, east float64 // of the first, on average
	for _, p := range places {
		north += (p.Latitude - first.Latitude) / float64(len(places))
		east += math.Remainder(p.Longitude-first.Longitude, 360) / float64(len(places))
	}
	round := func(degrees float64) float64 { return math.Round(degrees*1e4) / 1e4 }
	return Place{round(first.Latitude + north), round(math.Remainder(first.Longitude+east, 360)), first.Name}
}

// earthKM is the mean radius of the Earth in kilometres.
const earthKM = 6371

// KMTo returns the distance to another place in kilometres.
func (p Place) KMTo(other Place) float64 {
	const degree = math.Pi / 180
	half := func(degrees float64) float64 { return math.Pow(math.Sin(degrees*degree/2), 2) }
	// The haversine formula.
	h := half(other.Latitude-p.Latitude) +
		math.Cos(p.Latitude*degree)*math.Cos(other.Latitude*degree)*half(other.Longitude-p.Longitude)
	return 2 * earthKM * math.Asin(min(1, math.Sqrt(h)))
}

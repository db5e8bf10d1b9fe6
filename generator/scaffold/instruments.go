package scaffold

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// instrumentCount is the number of rows of the list.
const instrumentCount = 3000

// instrument is a kind of instrument. Makers and models are made up.
type instrument struct {
	kind, purpose string
	models        []string
	price         int // EUR, of the cheapest one
	uses          string
}

var instrumentKinds = []instrument{
	{"Microscope", "Shows cells and tissue enlarged", []string{"Halden C40", "Halden C60", "Orrin Lumen 2"}, 14000,
		"fluorescence, live cells"},
	{"Spectrometer", "Measures which wavelengths a sample absorbs", []string{"Tavik S9", "Tavik S9 UV"}, 22000,
		"absorbance, concentration"},
	{"Centrifuge", "Separates what is in a liquid by its weight", []string{"Brome 15", "Brome 40 cooled"}, 3800,
		"pellets, cell harvest"},
	{"Balance", "Weighs samples", []string{"Fenn 0.1", "Fenn 0.01"}, 900, "weighing"},
	{"Oven", "Dries and heats samples", []string{"Korund 250", "Korund 1100"}, 2600, "drying, annealing"},
	{"Freezer", "Keeps samples frozen", []string{"Isvik -20", "Isvik -80"}, 5200, "storage"},
	{"Printer for objects", "Builds parts in layers", []string{"Stratum 200", "Stratum 400"}, 3100, "prototypes"},
	{"Oscilloscope", "Shows voltages as they change", []string{"Volta 4 100 MHz", "Volta 4 1 GHz"}, 1200,
		"electronics, signals"},
	{"Camera", "Takes many pictures in a second", []string{"Kestrel 500", "Kestrel 2000"}, 17500, "motion, flow"},
	{"Chromatograph", "Separates the parts of a mixture", []string{"Lagune G", "Lagune L"}, 46000, "purity, residues"},
}

var departments = []string{"Biology", "Chemistry", "Physics", "Geology", "Medicine", "Materials", "Engineering",
	"Archaeology"}

// instruments returns the list of the example: a table of instruments of a university that does not exist.
// It is the same each time.
func instruments() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	r := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- the table must be the same each time
	rows := [][]string{{"Inventory number", "Name", "Kind", "Description", "Department", "Room", "Bought",
		"Price (EUR)", "Fee per hour (EUR)", "Training needed", "Uses"}}
	for i := range instrumentCount {
		kind := instrumentKinds[r.IntN(len(instrumentKinds))]
		model := kind.models[r.IntN(len(kind.models))]
		department := departments[r.IntN(len(departments))]
		room := fmt.Sprintf("%c %d.%02d", 'A'+r.IntN(6), r.IntN(4), 1+r.IntN(30))
		bought := fmt.Sprintf("%d-%02d-%02d", 1998+r.IntN(28), 1+r.IntN(12), 1+r.IntN(28))
		price := strconv.Itoa(kind.price + 50*r.IntN(kind.price/25))
		fee, training := "", "no"
		if r.IntN(3) == 0 {
			fee = strconv.Itoa(1 + r.IntN(60))
		}
		if kind.price > 10000 {
			training = "yes"
		}
		if r.IntN(20) == 0 { // nobody knows any more
			bought, price = "", ""
		}
		number := fmt.Sprintf("U-%05d", 10001+i)
		rows = append(rows, []string{number, model + " " + number, kind.kind, kind.purpose + ", in room " + room + ".",
			department, room, bought, price, fee, training, kind.uses})
	}
	_ = w.WriteAll(rows) // a buffer takes all
	return out.Bytes()
}

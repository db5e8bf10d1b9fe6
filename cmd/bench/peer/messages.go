package peer

import "time"

// Greeting is the first message to a peer whose order of results is measured. The peer answers
// with an empty [Reply] when it is ready.
type Greeting struct {
	Documents []Document `json:"documents"`
	StopWords []string   `json:"stopWords"` // English, for engines without their own
}

// Request requests the results of queries. The settings may differ between requests.
type Request struct {
	Settings map[string]float64 `json:"settings"`
	Queries  []string           `json:"queries"`
	Limit    int                `json:"limit"`
}

// Reply contains the slugs found for each query, best first.
type Reply struct {
	Hits  [][]string `json:"hits"`
	Error string     `json:"error"`
}

// SpeedMessage is a message to a peer whose speed is measured: first the facets, then listings,
// then the order to finish, then queries. Exactly one field is set. The peer measures the time of
// its engine itself, so that the pipe and the decoding of messages do not count.
type SpeedMessage struct {
	Facets   []Facet        `json:"facets,omitempty"`
	Listings []SpeedListing `json:"listings,omitempty"`
	Finish   bool           `json:"finish,omitempty"`
	Ask      *SpeedRequest  `json:"ask,omitempty"`
}

// SpeedListing is a listing with the JSON that answers contain, and its facet values.
type SpeedListing struct {
	Document
	JSON   string              `json:"json"`   // the hit, copied into answers
	Facets map[string][]string `json:"facets"` // values by facet
}

// SpeedRequest requests the answers to queries, one after the other, until all are answered or
// the budget is used up.
type SpeedRequest struct {
	Settings map[string]float64 `json:"settings"`
	Queries  []SpeedQuery       `json:"queries"`
	Limit    int                `json:"limit"`
	Budget   time.Duration      `json:"budget"` // nanoseconds
}

// SpeedQuery is a query with its filters, as the values of each facet. Any one value of a facet is
// enough.
type SpeedQuery struct {
	Q       string              `json:"q"`
	Filters map[string][]string `json:"filters,omitempty"`
}

// SpeedReply is the answer to a SpeedMessage.
type SpeedReply struct {
	Error   string          `json:"error"`
	Elapsed time.Duration   `json:"elapsed"` // of adding or finishing, nanoseconds
	Bytes   int64           `json:"bytes"`   // of the files, after finishing
	Took    []time.Duration `json:"took"`    // by query, nanoseconds
	Totals  []int           `json:"totals"`  // by query; 0 if it is not counted
	Hits    int             `json:"hits"`    // of all queries
}

// Facet is a search parameter. Its values filter the results, and are counted in them.
type Facet struct {
	Name   string `json:"name"`
	Single bool   `json:"single"` // a listing has at most one of its values
}

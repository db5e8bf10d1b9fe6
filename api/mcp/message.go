package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Refusal is the answer to what is no message of the protocol: an error of
// JSON-RPC 2.0 (section 5.1).
type Refusal struct {
	// ID is that of the message as it was sent; nil where it has none that can be
	// repeated.
	ID json.RawMessage
	// Code is one of JSON-RPC.
	Code int64
	// Message says what is wrong and what to do.
	Message string
}

// JSON returns the answer as it is sent.
func (r *Refusal) JSON() []byte {
	type fault struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	body, err := api.JSON(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", r.ID, fault{r.Code, strings.ToValidUTF8(r.Message, "\uFFFD")}})
	if err != nil { // texts, and JSON that was read before
		panic(err)
	}
	return body
}

// Message is a message that was checked and not yet handed to the server.
type Message struct {
	// ID is the id as it was sent, or nil.
	ID json.RawMessage
	// Method is the method, or nil.
	Method *string
}

// Refusal returns the answer to a message that the server refuses for that reason.
func (m Message) Refusal(reason string) *Refusal {
	r := &Refusal{ID: m.ID, Code: jsonrpc.CodeInvalidRequest, Message: reason}
	if m.Method != nil && !slices.Contains(methods, *m.Method) {
		r.Code = jsonrpc.CodeMethodNotFound
	}
	return r
}

// methods are those that the SDK answers (MCP, schema).
var methods = []string{
	"initialize", "ping", "server/discover", "completion/complete", "logging/setLevel", "subscriptions/listen",
	"prompts/list", "prompts/get", "tools/list", methodCallTool,
	methodListResources, "resources/templates/list", methodReadResource, "resources/subscribe", "resources/unsubscribe",
	"notifications/cancelled", "notifications/initialized", "notifications/progress", "notifications/roots/list_changed",
}

// Check returns the message in some bytes, or why they are none. A message is one JSON
// object in UTF-8, with white space around it at most.
// An id that the SDK would not repeat exactly is refused: it reads numbers as
// float64, so that 9007199254740993 would be answered with another id. It also reads
// the first of several values and ignores the rest.
func Check(message []byte) (m Message, refusal *Refusal) {
	message = bytes.Trim(message, " \t\r\n")
	broken := func(format string, args ...any) (Message, *Refusal) {
		return Message{}, &Refusal{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf(format, args...)}
	}
	wrong := func(format string, args ...any) (Message, *Refusal) {
		return Message{}, &Refusal{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
	}
	if len(message) == 0 {
		return broken("the message is empty: send a JSON object")
	}
	if !utf8.Valid(message) {
		return broken("the message is not UTF-8: JSON is sent in UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(message))
	var value json.RawMessage
	switch err := decoder.Decode(&value); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return broken("the message is cut short: it ends inside its JSON value")
	case err != nil:
		return broken("the message is not JSON: %v", err)
	case decoder.InputOffset() != int64(len(message)):
		return broken("after its JSON value the message goes on, at byte %d: send one JSON object at a time", decoder.InputOffset()+1)
	}
	if message[0] == '[' {
		return wrong("batches are not supported: send each message by itself, as a JSON object")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(message, &members); err != nil {
		return wrong("the message is no JSON object: send one with jsonrpc, method and, for an answer, id")
	}
	id, given := members["id"]
	if given && !exactID(id) {
		return wrong("the id %.80s cannot be repeated exactly: use a text, or a whole number from -%d to %[2]d without fraction and exponent", id, maxID)
	}
	m.ID = id
	if method, ok := members["method"]; ok {
		_ = json.Unmarshal(method, &m.Method) // what is no text is no method
	}
	return m, nil
}

// maxID is the largest number that every client can send as an id: 2^53-1, up to
// which float64 has every whole number.
const maxID = 1<<53 - 1

// exactID tells whether the SDK repeats an id exactly. It takes null for none.
func exactID(id json.RawMessage) bool {
	if id[0] == '"' {
		var text string
		// Halves of a pair of surrogates become U+FFFD.
		return json.Unmarshal(id, &text) == nil && !strings.ContainsRune(text, utf8.RuneError)
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -maxID <= n && n <= maxID && strconv.FormatInt(n, 10) == string(id)
}

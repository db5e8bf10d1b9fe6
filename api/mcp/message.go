package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Refusal is the answer to a malformed message: an error of JSON-RPC 2.0 (section 5.1).
type Refusal struct {
	// ID is the id of the message as it was sent; nil if it has none, or an invalid one.
	ID json.RawMessage
	// Code is an error code of JSON-RPC.
	Code int64
	// Message says what is wrong and what to do.
	Message string
}

// refuse returns the answer to a message with that id.
func refuse(id json.RawMessage, code int64, format string, args ...any) *Refusal {
	return &Refusal{ID: id, Code: code, Message: fmt.Sprintf(format, args...)}
}

// JSON returns the body of the answer.
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
	if err != nil { // strings and valid JSON always encode
		panic(err)
	}
	return body
}

// Message is the part of a checked message that refusals need.
type Message struct {
	// ID is the id as it was sent, or nil.
	ID json.RawMessage
	// Method is the method, or nil.
	Method *string
}

// Refusal returns the answer that refuses the message for a reason of the SDK.
func (m Message) Refusal(reason string) *Refusal {
	r := &Refusal{ID: m.ID, Code: jsonrpc.CodeInvalidRequest, Message: reason}
	if m.Method != nil && methods[*m.Method] == nil {
		r.Code = jsonrpc.CodeMethodNotFound
	}
	if strings.Contains(reason, " into Go ") { // it names a type of the SDK
		r.Message = "the message is not as JSON-RPC 2.0 has it"
	}
	return r
}

// methods maps the methods that the SDK answers (MCP, schema) to the types of their parameters. For two of them the SDK
// calls its type deprecated.
var methods = map[string]reflect.Type{
	"initialize":                       reflect.TypeFor[sdk.InitializeParams](),
	"ping":                             reflect.TypeFor[sdk.PingParams](),
	"server/discover":                  reflect.TypeFor[sdk.DiscoverParams](),
	"completion/complete":              reflect.TypeFor[sdk.CompleteParams](),
	"logging/setLevel":                 reflect.TypeFor[struct{ Level string }](),
	"subscriptions/listen":             reflect.TypeFor[sdk.SubscriptionsListenParams](),
	"prompts/list":                     reflect.TypeFor[sdk.ListPromptsParams](),
	"prompts/get":                      reflect.TypeFor[sdk.GetPromptParams](),
	"tools/list":                       reflect.TypeFor[sdk.ListToolsParams](),
	methodCallTool:                     reflect.TypeFor[sdk.CallToolParamsRaw](),
	methodListResources:                reflect.TypeFor[sdk.ListResourcesParams](),
	"resources/templates/list":         reflect.TypeFor[sdk.ListResourceTemplatesParams](),
	methodReadResource:                 reflect.TypeFor[sdk.ReadResourceParams](),
	"resources/subscribe":              reflect.TypeFor[sdk.SubscribeParams](),
	"resources/unsubscribe":            reflect.TypeFor[sdk.UnsubscribeParams](),
	"notifications/cancelled":          reflect.TypeFor[sdk.CancelledParams](),
	"notifications/initialized":        reflect.TypeFor[sdk.InitializedParams](),
	"notifications/progress":           reflect.TypeFor[sdk.ProgressNotificationParams](),
	"notifications/roots/list_changed": reflect.TypeFor[struct{}](),
}

// Check checks that a message is one JSON object in UTF-8. It returns the id and method, or the
// answer to a malformed message. The SDK does not check enough: it reads the first of several
// values and ignores the rest, and it reads ids as float64, so that it would answer
// 9007199254740993 with another id.
func Check(message []byte) (m Message, refusal *Refusal) {
	message = bytes.Trim(message, " \t\r\n")
	parseError := func(format string, args ...any) (Message, *Refusal) {
		return m, refuse(nil, jsonrpc.CodeParseError, format, args...)
	}
	invalid := func(format string, args ...any) (Message, *Refusal) {
		return m, refuse(nil, jsonrpc.CodeInvalidRequest, format, args...)
	}
	if len(message) == 0 {
		return parseError("the message is empty: send a JSON object")
	}
	if !utf8.Valid(message) {
		return parseError("the message is not UTF-8: send JSON in UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(message))
	var value json.RawMessage
	switch err := decoder.Decode(&value); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return parseError("the message is cut short: it ends inside its JSON value")
	case err != nil:
		return parseError("the message is not JSON: %v", err)
	case decoder.InputOffset() != int64(len(message)):
		return parseError("the message has more text after its JSON value, at byte %d: send one JSON object at a time",
			decoder.InputOffset()+1)
	}
	if message[0] == '[' {
		return invalid("batches are not supported: send each message by itself, as a JSON object")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(message, &members); err != nil || members == nil { // null
		return invalid("the message is not a JSON object: send one with jsonrpc, method and, to get an answer, id")
	}
	id, ok := members["id"]
	if ok && !isExactID(id) {
		return invalid("the id %.80s cannot be repeated exactly: use a string, or a whole number from -%d to %[2]d "+
			"without fraction or exponent", id, maxID)
	}
	m.ID = id
	method, isCall := members["method"]
	switch {
	case string(members["jsonrpc"]) != `"2.0"`:
		return m, refuse(id, jsonrpc.CodeInvalidRequest, `jsonrpc must be "2.0"`)
	case isCall && json.Unmarshal(method, &m.Method) != nil, isCall && m.Method == nil: // null
		m.Method = nil
		return m, refuse(id, jsonrpc.CodeInvalidRequest, "the method must be a string")
	case !isCall && members["result"] == nil && members["error"] == nil:
		return m, refuse(id, jsonrpc.CodeInvalidRequest, "the message has no method")
	}
	return m, m.checkParams(members["params"])
}

// maxNamed is the maximum length in bytes of a method, and of the name of a tool or prompt, the URI
// of a resource or a cursor in its parameters. An answer repeats unknown ones.
const maxNamed = 1000

// checkParams refuses parameters that would make the SDK name its Go types in the answer, or
// repeat a long text. raw is nil for a message without parameters.
func (m Message) checkParams(raw json.RawMessage) *Refusal {
	if m.Method == nil {
		return nil
	}
	if len(*m.Method) > maxNamed {
		return refuse(m.ID, jsonrpc.CodeMethodNotFound, "the method has %d characters: at most %d are allowed",
			len(*m.Method), maxNamed)
	}
	isNull := raw == nil || string(raw) == "null"
	if !isNull && raw[0] != '{' || isNull && *m.Method == "initialize" {
		return refuse(m.ID, jsonrpc.CodeInvalidParams, "params of %s must be a JSON object", *m.Method)
	}
	var params struct {
		Name, URI, Cursor, Arguments json.RawMessage
	}
	if isNull || json.Unmarshal(raw, &params) != nil {
		return nil
	}
	if texts := map[string]string{}; *m.Method == "prompts/get" && params.Arguments != nil &&
		json.Unmarshal(params.Arguments, &texts) != nil {
		return refuse(m.ID, jsonrpc.CodeInvalidParams, "the arguments of a prompt must be strings")
	}
	for _, p := range []struct {
		name  string
		value json.RawMessage
	}{{"name", params.Name}, {"uri", params.URI}, {"cursor", params.Cursor}} {
		if size := len(p.value) - len(`""`); size > maxNamed && p.value[0] == '"' {
			return refuse(m.ID, jsonrpc.CodeInvalidParams, "%s of %s has %d characters: at most %d are allowed", p.name,
				*m.Method, size, maxNamed)
		}
	}
	return m.checkKinds(raw)
}

// checkKinds refuses parameters with a value of another kind than the method has.
func (m Message) checkKinds(raw json.RawMessage) *Refusal {
	t := methods[*m.Method]
	if t == nil { // the SDK says so
		return nil
	}
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		kind := kindOf(wrong.Type)
		return refuse(m.ID, jsonrpc.CodeInvalidParams, "%s of %s must be %s", wrong.Field, *m.Method, kind)
	}
	if err != nil {
		return refuse(m.ID, jsonrpc.CodeInvalidParams, "params of %s are not as the protocol has them", *m.Method)
	}
	return nil
}

// kindOf returns the kind of JSON value that a type stands for.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct, reflect.Interface, reflect.Pointer:
		return "an object"
	default:
		return "a number"
	}
}

// maxID is the largest number that every client can send as an id: 2^53-1. Up to there,
// float64 represents every integer.
const maxID = 1<<53 - 1

// isExactID reports whether the SDK repeats an id exactly. The SDK drops the id null.
func isExactID(id json.RawMessage) bool {
	if id[0] == '"' {
		var text string
		// Unpaired surrogates become U+FFFD.
		return json.Unmarshal(id, &text) == nil && !strings.ContainsRune(text, utf8.RuneError)
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -maxID <= n && n <= maxID && strconv.FormatInt(n, 10) == string(id)
}

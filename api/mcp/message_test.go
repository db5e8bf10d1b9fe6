package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestMethods compares the methods that this package knows with those that the SDK
// answers, which are not exported.
func TestMethods(t *testing.T) {
	snapshot := newTestSnapshot(t)
	s := New(optionsOf(func(context.Context) *Snapshot { return snapshot }))
	isUnknown := func(method string) bool {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		ctx, cancel := context.WithCancel(r.Context())
		cancel() // a subscription would be waited for
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(ctx))
		return strings.Contains(w.Body.String(), "not handled")
	}
	for method := range methods {
		if isUnknown(method) {
			t.Errorf("the SDK does not answer %s", method)
		}
		if r := (Message{Method: &method}).Refusal("wrong"); r.Code != jsonrpc.CodeInvalidRequest {
			t.Errorf("%s is refused with code %d", method, r.Code)
		}
	}
	for _, method := range []string{"catalog/drop", "tools", "roots/list", "sampling/createMessage", "elicitation/create", "notifications/tools/list_changed"} {
		if !isUnknown(method) {
			t.Errorf("the SDK answers %s: add it to methods", method)
		}
		if r := (Message{Method: &method}).Refusal("wrong"); r.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("%s is refused with code %d", method, r.Code)
		}
	}
	if r := (Message{}).Refusal("wrong"); r.Code != jsonrpc.CodeInvalidRequest {
		t.Errorf("a message without a method is refused with code %d", r.Code)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// modelAddress is where the mock model answers in the sandbox.
const modelAddress = "127.0.0.1:9009"

// modelAnswer is what the mock model answers to every chat.
const modelAnswer = "The mock model answers."

// serveModel answers as OpenAI's API does (chat completions, responses, models), and as Google's
// does for one message. It knows nothing: every answer is modelAnswer.
func serveModel(listener net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", chat)
	mux.HandleFunc("POST /v1/responses", responses)
	mux.HandleFunc("POST /v1beta/models/{call}", gemini)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		model := object{"id": "mock", "object": "model", "created": 0, "owned_by": "mock"}
		answer(w, object{"object": "list", "data": []object{model}})
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	_ = server.Serve(listener) // ends with the sandbox
}

type object map[string]any

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may have left
}

// request is what the mock model reads of a request.
type request struct {
	Stream bool
	Tools  []struct {
		Function struct{ Name string }
	}
}

// read reads a request. What it cannot read counts as a request without a stream.
func read(r *http.Request) (asked request) {
	if body, err := io.ReadAll(r.Body); err == nil {
		_ = json.Unmarshal(body, &asked)
	}
	return asked
}

// finishingTools are tools by which some agents have the model end its work. Their one argument is
// the answer.
var finishingTools = map[string]string{"attempt_completion": "result", "submit_and_exit": "summary"}

// message returns the model's turn in a chat: a text, or a call of a finishing tool.
func (asked *request) message() (turn object, reason string) {
	for _, t := range asked.Tools {
		if argument, ok := finishingTools[t.Function.Name]; ok {
			arguments, _ := json.Marshal(object{argument: modelAnswer}) // is an object
			call := object{"index": 0, "id": "call_mock", "type": "function",
				"function": object{"name": t.Function.Name, "arguments": string(arguments)}}
			return object{"role": "assistant", "tool_calls": []object{call}}, "tool_calls"
		}
	}
	return object{"role": "assistant", "content": modelAnswer}, "stop"
}

// event writes an event of a stream. Without a name, it is only data.
func event(w io.Writer, name string, value any) {
	text, _ := json.Marshal(value) // is an object
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", text)
}

func startStream(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }

var usage = object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

func chat(w http.ResponseWriter, r *http.Request) {
	asked := read(r)
	turn, reason := asked.message()
	if !asked.Stream {
		answer(w, object{"id": "mock", "object": "chat.completion", "created": 0, "model": "mock", "usage": usage,
			"choices": []object{{"index": 0, "finish_reason": reason, "message": turn}}})
		return
	}
	startStream(w)
	part := func(delta object, reason any) object {
		return object{"id": "mock", "object": "chat.completion.chunk", "created": 0, "model": "mock",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}}}
	}
	event(w, "", part(turn, nil))
	last := part(object{}, reason)
	last["usage"] = usage
	event(w, "", last)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func responses(w http.ResponseWriter, r *http.Request) {
	text := object{"type": "output_text", "text": modelAnswer, "annotations": []any{}}
	item := object{"id": "msg_mock", "type": "message", "role": "assistant", "status": "completed",
		"content": []object{text}}
	whole := object{"id": "resp_mock", "object": "response", "created_at": 0, "model": "mock", "status": "completed",
		"output": []object{item}, "usage": object{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}}
	if !read(r).Stream {
		answer(w, whole)
		return
	}
	startStream(w)
	number := 0
	send := func(kind string, value object) {
		value["type"], value["sequence_number"] = kind, number
		number++
		event(w, kind, value)
	}
	begun := object{"id": "resp_mock", "object": "response", "created_at": 0, "model": "mock",
		"status": "in_progress", "output": []any{}}
	send("response.created", object{"response": begun})
	send("response.output_item.added", object{"output_index": 0, "item": object{"id": "msg_mock", "type": "message",
		"role": "assistant", "status": "in_progress", "content": []any{}}})
	at := func(more object) object {
		more["item_id"], more["output_index"], more["content_index"] = "msg_mock", 0, 0
		return more
	}
	empty := object{"type": "output_text", "text": "", "annotations": []any{}}
	send("response.content_part.added", at(object{"part": empty}))
	send("response.output_text.delta", at(object{"delta": modelAnswer}))
	send("response.output_text.done", at(object{"text": modelAnswer}))
	send("response.content_part.done", at(object{"part": text}))
	send("response.output_item.done", object{"output_index": 0, "item": item})
	send("response.completed", object{"response": whole})
}

func gemini(w http.ResponseWriter, r *http.Request) {
	whole := object{"candidates": []object{{"index": 0, "finishReason": "STOP",
		"content": object{"role": "model", "parts": []object{{"text": modelAnswer}}}}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}
	if !strings.HasSuffix(r.PathValue("call"), ":streamGenerateContent") {
		answer(w, whole)
		return
	}
	startStream(w)
	event(w, "", whole)
}

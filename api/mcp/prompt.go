package mcp

import (
	"context"
	"fmt"

	"catalog.example/api"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// PromptShortlist is the name of the prompt.
const PromptShortlist = "shortlist"

func shortlistPrompt() *sdk.Prompt {
	return &sdk.Prompt{
		Name: PromptShortlist, Title: "Shortlist for a job",
		Description: "3 to 5 tools of the catalogue that fit a job and a machine.",
		Arguments: []*sdk.PromptArgument{
			{Name: "job", Title: "Job", Description: "What is to be done, or the product to replace.", Required: true},
			{Name: "hardware", Title: "Hardware", Description: "Memory, graphics card, system, such as: 8 GB laptop without GPU."},
		},
	}
}

// maxArgument bounds an argument of the prompt, in bytes: it is as long as a
// query may be, in any script.
const maxArgument = 4 * api.MaxQueryLength

// shortlist asks a model for the three steps of the specification's intended use
// (spec 1).
func (s *Server) shortlist(_ context.Context, request *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	job, hardware := plain(request.Params.Arguments["job"]), plain(request.Params.Arguments["hardware"])
	switch {
	case job == "":
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the argument job is missing: say what is to be done"}
	case len(job) > maxArgument || len(hardware) > maxArgument:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("an argument has more than %d bytes", maxArgument)}
	}
	text := "Find tools of the catalogue for this job: " + job + "\n"
	if hardware != "" {
		text += "They are to run on: " + hardware + "\n"
	}
	text += "\n1. Call " + api.ToolSearch + " with the job as q, and what the hardware allows as filters (gpu=0 without a graphics card; platform, docker and beginner where they matter).\n" +
		"2. Return 3 to 5 fits, each with its pageUrl, its licence and its memory, and say which facts are unknown. Leave out what needs more memory than there is. Stars measure attention, not quality.\n" +
		"3. Call " + api.ToolProject + " for the one that is chosen, and hand on its installLinks. Do not invent install steps.\n\n" + untrusted
	return &sdk.GetPromptResult{
		Description: "A shortlist for a job",
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
	}, nil
}

package mcp

import (
	"context"
	"fmt"
	"strings"

	"catalog.example/api"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// PromptShortlist is the name of the prompt.
const PromptShortlist = "shortlist"

// shortlistPrompt returns the prompt of a catalogue. wanted is its word for what users want (site.Settings.Wanted),
// which the prompt takes as the argument of that name.
func shortlistPrompt(wanted string) *sdk.Prompt {
	return &sdk.Prompt{
		Name: PromptShortlist, Title: "Shortlist for a " + wanted,
		Description: "3 to 5 listings of the catalogue that fit a " + wanted + ".",
		Arguments: []*sdk.PromptArgument{
			{Name: wanted, Title: strings.ToUpper(wanted[:1]) + wanted[1:], Description: "In the words of the user.",
				Required: true},
			{Name: "constraints", Title: "Constraints", Description: "What the listings have to fit."},
		},
	}
}

// maxArgument bounds an argument of the prompt, in bytes: enough for the longest query in any
// script.
const maxArgument = 4 * api.MaxQueryLength

// shortlist returns a prompt for the three steps of a choice: say what is wanted, compare a few
// listings, open one.
func (s *Server) shortlist(ctx context.Context, request *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	snap := callFrom(ctx).snapshot
	wanted := snap.settings.Wanted()
	wish, constraints := plain(request.Params.Arguments[wanted]), plain(request.Params.Arguments["constraints"])
	wrong := ""
	if wish == "" {
		wrong = "the argument " + wanted + " is missing: describe the " + wanted
	} else if len(wish) > maxArgument || len(constraints) > maxArgument {
		wrong = fmt.Sprintf("an argument has more than %d bytes", maxArgument)
	}
	if wrong != "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: wrong}
	}
	text := "Find listings of the catalogue for this " + wanted + ": " + wish + "\n"
	if constraints != "" {
		text += "They have to fit: " + constraints + "\n"
	}
	var filters []string
	for _, p := range snap.index.Parameters() {
		if p.Fact != nil || p.Name == "platform" {
			filters = append(filters, p.Name)
		}
	}
	filterNames := ""
	if len(filters) > 0 {
		filterNames = " (" + strings.Join(filters, ", ") + ")"
	}
	steps := snap.index.Taxonomy().Steps(&snap.settings, api.ToolSearch, "Call "+api.ToolProject+
		" for the one that is chosen, and pass on its links. "+snap.ifHas("installLinks", noSteps))
	text += "\n1. Call " + api.ToolSearch + " with the " + wanted + " as q, and with filters for what has to fit" +
		filterNames + ".\n" + steps[1] + " Say which of them are unknown. Leave out what does not fit. " +
		snap.ifHas("stars", attention) + "\n" + steps[2] + "\n\n" + api.Untrusted
	return &sdk.GetPromptResult{
		Description: "A shortlist for a " + wanted,
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
	}, nil
}

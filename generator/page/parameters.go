package page

import (
	"fmt"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/labels"
)

// parameterView is a parameter in words.
type parameterView struct {
	Name, Description, Allowed, Default string
	IsFlag                              bool // 0 or 1
}

// parameters describes parameters in words.
func parameters(l *labels.Labels, list []api.Parameter) []parameterView {
	var views []parameterView
	for _, p := range list {
		v := parameterView{Name: p.Name, Description: l.Prose(p.Description)}
		switch {
		case p.Kind == api.KindFlag:
			v.Allowed, v.IsFlag = "0, 1", true
		case p.Kind == api.KindInteger && p.HasMax:
			v.Allowed = l.Text("{least} to {most}", "least", p.Min, "most", p.Max)
		case p.Kind == api.KindInteger:
			v.Allowed = l.Text("at least {least}", "least", p.Min)
		case p.Kind == api.KindNumber && p.Least != nil && p.Most != nil:
			v.Allowed = l.Text("{least} to {most}", "least", *p.Least, "most", *p.Most)
		case p.Form() != "":
			v.Allowed = p.Form()
		case p.Kind == api.KindNumber:
			v.Allowed = l.Text(api.NumberBounds(p.Least, p.Most))
		default:
			v.Allowed = strings.Join(p.Allowed, ", ")
		}
		if p.Default != nil {
			v.Default = fmt.Sprint(p.Default)
		}
		views = append(views, v)
	}
	return views
}

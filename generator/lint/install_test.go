package lint

import (
	"testing"

	"catalog.example/api"
)

func TestWrongSite(t *testing.T) {
	command := "uvx tool"
	for _, c := range []struct {
		link  api.InstallLink
		wrong bool
	}{
		{api.InstallLink{Kind: "pip", URL: "https://pypi.org/project/tool/"}, false},
		{api.InstallLink{Kind: "pip", URL: "https://docs.example.org/install"}, true},
		{api.InstallLink{Kind: "pip", URL: "https://docs.example.org/install", Command: &command}, false},
		{api.InstallLink{Kind: "npm", URL: "https://www.npmjs.com/package/@a/tool"}, false},
		{api.InstallLink{Kind: "npm", URL: "https://example.org/tool"}, true},
		{api.InstallLink{Kind: "brew", URL: "https://formulae.brew.sh/formula/tool.rb"}, false},
		{api.InstallLink{Kind: "brew", URL: "https://example.org/tool.rb"}, true},
		{api.InstallLink{Kind: "store", URL: "https://play.google.com/store/apps/details?id=a"}, false},
		{api.InstallLink{Kind: "extension", URL: "https://chromewebstore.google.com/detail/a/b"}, false},
		{api.InstallLink{Kind: "extension", URL: "https://example.org/"}, true},
		{api.InstallLink{Kind: "docker", URL: "https://hub.docker.com/r/a/tool"}, false},
		{api.InstallLink{Kind: "docker", URL: "https://hub.docker.com/r/A/Tool"}, true},
		{api.InstallLink{Kind: "installer", URL: "https://github.com/a/tool/releases/latest"}, false},
		{api.InstallLink{Kind: "installer", URL: "https://example.org/Tool-1.2.MSI"}, true},
		{api.InstallLink{Kind: "docs", URL: "https://example.org/install"}, false},
	} {
		if got := wrongSite(&c.link); (got != "") != c.wrong {
			t.Errorf("%+v: %q", c.link, got)
		}
	}
}

// Lint asks for clone where a command uses files of the repository.
func TestCommandsInAClone(t *testing.T) {
	for command, want := range map[string]bool{
		"docker compose up --build": true, "sudo docker-compose -f docker/a.yaml up -d": true, "uv run start.py": true,
		"python3 server/app.py": true, "./install.sh": true, "bash scripts/run.sh": true, "make run": true, "pip install .": true,
		"uvx --with-editable . tool": true, "pip install -e . --user": true,
		"docker run -v ./data:/data tool": false, "curl -O https://a.example/compose.yml && docker compose up": false,
		"python -m pip install tool": false, "uvx tool": false, "npx makeit": false, "bash <(curl -fsSL https://a.example)": false,
		"pip install tool==1.0": false,
	} {
		if got := inClone.MatchString(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// What other sites can show of a listing: its badge and its embed. The page of a listing loads this module when the reader
// asks for the code.

/** Adds the code to copy. shared is what page code shares. */
export function snippets({ copying, element, t }, place) {
  const badge = place.querySelector("code").textContent, [, site, slug] = badge.match(/^(.*)badge\/(.*)\.svg$/);
  const page = `${site}projects/${slug}/`, alt = t("Listed: {site}", { site: document.querySelector(".brand").textContent });
  const escaped = (text) => `${text}`.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt()};`);
  const tag = (name, attributes) => `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`).join("")}>`;
  const add = (label, code) => {
    const command = element("div", { class: "command" }, element("pre", { tabindex: 0 }, element("code", {}, new Text(code))));
    copying(command, t("Copy: {what}", { what: label }));
    place.append(element("p", {}, label), command);
  };
  add(t("Badge in Markdown"), `[![${alt.replace(/[\\[\]]/g, "\\$&")}](${badge})](${page})`);
  add(t("Badge in HTML"), `${tag("a", { href: page })}${tag("img", { src: badge, alt, height: 20 })}</a>`);
  const title = `${document.querySelector("h1 bdi").textContent}. ${alt}`;
  add(t("Embed in HTML"), `${tag("iframe", { src: `${site}embed/${slug}/`, title, width: 300, height: 300, loading: "lazy", style: "border:0" })}</iframe>`);
}

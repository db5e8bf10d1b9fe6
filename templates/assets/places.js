// Filters by place take names, and the map of a list follows the filters.

/** The distance of a filter by place, and the place of which its field has the name. */
const distanceOf = (control) => byId(`${control.id}-km`);
const placeIn = (control, is) => control.list?.id === `${control.id}-places` && [...control.list.options].find(is);
const placeNamed = (control, text) => placeIn(control, (o) => o.value.toLowerCase() === text.trim().toLowerCase());
askedBy = (control, text) => {
  const place = placeNamed(control, text);
  return place ? `${place.dataset.at},${distanceOf(control).value}` : text.trim();
};
inWords = (control) => (placeNamed(control, control.value) ? `${control.value.trim()}, ${distanceOf(control).selectedOptions[0].textContent}` : control.value);
fillIn = (control, value) => {
  const [, at, km] = value.match(/^([^,]+,[^,]+?)(?:,(\d+))?$/) ?? [], place = placeIn(control, (o) => o.dataset.at === at);
  control.value = place ? place.value : value;
  if (!place || !km) return;
  const distance = distanceOf(control);
  if (![...distance.options].some((o) => o.value === km)) distance.append(element("option", { value: km }, t("{n} km", { n: km })));
  distance.value = km;
};
for (const distance of document.querySelectorAll("#facets .km")) {
  distance.addEventListener("change", () => distance.previousElementSibling.dispatchEvent(new Event("change", { bubbles: true })));
}

// The map of a list follows its filters: each point stands for those of its listings that pass, and leads to them.
const maxLabel = 28; // as in generator/page/places.go
/** Draws a point for some of its listings, as mapOf of generator/page does. parameters are those of the list. */
function drawPoint(point, passed, parameters) {
  const { link, around } = point.dataset, count = passed.length, [first] = passed;
  point.toggleAttribute("hidden", !count);
  if (!around || !count) return; // it has one listing, or none is left
  const name = count > 1 ? n(count, "{n} listing around {place}", "{n} listings around {place}", { place: around }) : first.name;
  const address = new URL(link, location.href), letters = [...name], texts = point.querySelectorAll("text");
  address.search = queryOf({ ...parameters, ...Object.fromEntries(address.searchParams) });
  point.setAttribute("href", count > 1 ? address.href : pageOf(first.slug));
  point.setAttribute("aria-label", name);
  point.querySelector("circle").setAttribute("r", count > 1 ? Math.max(11, 5 + 3 * String(count).length) : 7);
  texts[0].textContent = count > 1 ? count : "";
  texts[1].textContent = letters.length > maxLabel ? `${letters.slice(0, maxLabel - 1).join("").trimEnd()}…` : name;
}
const allOfList = listSource;
listSource = (form) => {
  const answer = allOfList(form), caption = byId("below-map"), points = [...document.querySelectorAll(".map a")];
  for (const point of points) point.dataset.link = point.getAttribute("href");
  return async (parameters) => {
    const found = await answer(parameters), hits = new Map(found.groups.flatMap((g) => g.hits.map((p) => [p.slug, p])));
    let shown = 0;
    for (const point of points) {
      const passed = point.dataset.of.split(" ").map((slug) => hits.get(slug)).filter(Boolean);
      drawPoint(point, passed, parameters);
      shown += passed.length;
    }
    if (caption) caption.textContent = t("On the map: {n} of {all}", { n: shown, all: found.total });
    return found;
  };
};

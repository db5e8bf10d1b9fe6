// Filters by place take names, and the map of a list follows the filters.

/** The distance of a filter by place, and the place of which its field has the name. */
const distanceOf = (control) => byId(`${control.id}-km`);
const placeIn = (control, is) => control.list?.id === `${control.id}-places` && [...control.list.options].find(is);
const placeNamed = (control, text) => placeIn(control, (o) => o.value.toLowerCase() === text.trim().toLowerCase());
askedBy = (control, text) => {
  const distance = distanceOf(control), place = placeNamed(control, text), at = text.trim();
  if (place) return `${place.dataset.at},${distance.value}`;
  return distance && at.split(",").length === 2 && !distance.selectedOptions[0].defaultSelected ? `${at},${distance.value}` : at;
};
inWords = (control) => (placeNamed(control, control.value) || askedBy(control, control.value) !== control.value.trim() ? `${control.value.trim()}, ${distanceOf(control).selectedOptions[0].textContent}` : control.value);
fillIn = (control, value) => {
  const distance = distanceOf(control), asked = distance && value.match(/^([^,]+,[^,]+?)(?:,(\d+))?$/);
  control.value = value;
  if (!asked) return;
  const km = asked[2] ?? distance.value, place = placeIn(control, (o) => o.dataset.at === asked[1]);
  control.value = place ? place.value : asked[1];
  if (![...distance.options].some((o) => o.value === km)) distance.append(element("option", { value: km }, t("{n} km", { n: km })));
  distance.value = km;
};
for (const distance of document.querySelectorAll("#facets .km")) {
  distance.addEventListener("change", () => distance.previousElementSibling.dispatchEvent(new Event("change", { bubbles: true })));
}

// The map of a list, as generator/atlas and generator/page/places.go draw it, of the listings that pass the filters.
const maxLabel = 28, apart = 100 / 12, ratio = 2;
const hundredths = (number) => (Math.sign(number) * Math.round(Math.abs(number) * 100)) / 100, between = (least, number, most) => Math.min(most, Math.max(least, number));
const normal = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;
const overviewHeight = 10, landHeight = 2;
function areaOf(places, least) {
  const ascending = (a, b) => a - b, longitudes = places.map((p) => normal(p.longitude)).sort(ascending), latitudes = places.map((p) => p.latitude).sort(ascending);
  let west = longitudes[0], widest = west + 360 - longitudes.at(-1);
  longitudes.forEach((longitude, i) => {
    const gap = longitude - longitudes[i - 1];
    if (gap > widest) { west = longitude; widest = gap; }
  });
  const across = 360 - widest, south = latitudes[0], north = latitudes.at(-1), middle = (south + north) / 2;
  const cosine = Math.max(Math.cos((middle * Math.PI) / 180), 0.2), height = Math.max(least, (north - south) * 1.3, (across * 1.3 * cosine) / ratio), width = (height * ratio) / cosine;
  if (width >= 300 || height >= 180) return { west: -180, north: 90, width: 360, height: 180 };
  return { west: normal(west + across / 2 - width / 2), north: Math.min(90, Math.max(middle + height / 2, height - 90)), width, height };
}
const svg = (name, attributes, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};
/** The parts of a label, in at most maxLabel letters. lang is the language of a place in it; undefined for that of the page. */
function labelOf(name, place, lang) {
  const letters = [...name], isWhole = letters.length <= maxLabel, shown = isWhole ? name : letters.slice(0, maxLabel - 1).join("").trim(), end = isWhole ? "" : "…";
  const at = lang ? name.indexOf(place) : -1, said = at < 0 ? "" : shown.slice(at, at + place.length);
  return said ? [shown.slice(0, at), svg("tspan", { lang }, said), shown.slice(at + said.length) + end] : [shown + end];
}
/** Draws a point for listings with their places, which are values of a fact. around makes the address of those of several. */
function pointOf({ x, y, of }, fact, around) {
  const count = of.length, [first] = of, cx = `${hundredths(between(3, x, 97))}%`, cy = `${hundredths(between(6, y, 94))}%`;
  const name = count > 1 ? n(count, "{n} listing around {place}", "{n} listings around {place}", { place: first.place.name }) : first.p.name;
  const label = svg("text", { x: cx, y: cy, dy: y < 20 ? "2em" : "-1.2em", "text-anchor": x < 100 / 3 ? "start" : x > 200 / 3 ? "end" : "middle" },
    ...labelOf(name, first.place.name, count > 1 ? langOf(first.p, `fitNotes.${fact.key}`).lang : undefined));
  return svg("a", { href: count > 1 ? around(of) : pageOf(first.p.slug), "aria-label": name, "data-of": of.map(({ p }) => p.slug).join(" ") },
    svg("circle", { cx, cy, r: count > 1 ? Math.max(11, 5 + 3 * String(count).length) : 7 }), ...(count > 1 ? [svg("text", { class: "n", x: cx, y: cy, "aria-hidden": "true" }, String(count))] : []), label);
}
/** The outlines of land of an area, in a list; it is empty for a small area. */
function landOf(href, { west, north, width, height }) {
  if (height < landHeight) return [];
  const turns = [-360, 0, 360].filter((turn) => west < turn + 190 && west + width > turn - 190);
  return [svg("svg", { viewBox: [west, -north, width, height].map(hundredths).join(" "), preserveAspectRatio: "none", "aria-hidden": "true" }, ...turns.map((turn) => svg("use", { href, x: turn })))];
}
const positionIn = ({ west, north, width, height }, place) => [((normal(place.longitude - west - 180) + 180) / width) * 100, ((north - place.latitude) / height) * 100];
/** The scale of an area. */
function scaleOf({ west, north, width, height }) {
  const latitude = north - height / 2, across = kmBetween(latitude, west, latitude, west + width), power = 10 ** Math.floor(Math.log10(across / 4));
  const km = power * [5, 2, 1].find((first) => first * power <= across / 4);
  return svg("g", { class: "scale", "aria-hidden": "true" }, svg("line", { x1: "3%", x2: `${hundredths(3 + hundredths((km / across) * 100))}%`, y1: "95%", y2: "95%" }),
    svg("text", { x: "3%", y: "95%", dy: "-.5em" }, km < 1 ? t("{n} m", { n: Math.round(km * 1000) }) : t("{n} km", { n: km })));
}
/** Draws a map of listings with their places, which are values of a fact and of which there is at least one. */
function drawMap(map, located, fact, around) {
  const places = located.map(({ place }) => place), [first] = places, points = [], href = map.dataset.land;
  const areSame = places.every((p) => p.latitude === first.latitude && normal(p.longitude) === normal(first.longitude));
  const small = areaOf(places, 0.002), large = areaOf(places, overviewHeight), isLarge = areSame || small.height >= overviewHeight, area = isLarge ? large : small;
  for (const one of located) {
    const [x, y] = positionIn(area, one.place), near = points.find((point) => Math.hypot(x - point.x, (y - point.y) / ratio) < apart);
    if (near) near.of.push(one);
    else points.push({ x, y, of: [one] });
  }
  map.replaceChildren(...landOf(href, area), ...points.map((point) => pointOf(point, fact, around)), ...(isLarge ? [] : [scaleOf(area)]));
  document.querySelector(".map.overview")?.remove();
  if (isLarge) return;
  const [x, y] = positionIn(large, { latitude: small.north - small.height / 2, longitude: small.west + small.width / 2 });
  map.after(svg("svg", { class: "map overview", "aria-hidden": "true" }, ...landOf(href, large), svg("circle", { cx: `${hundredths(x)}%`, cy: `${hundredths(y)}%`, r: 5 })));
}
const allOfList = listSource;
listSource = (form) => {
  const answer = allOfList(form), map = document.querySelector(".map"), caption = byId("below-map"), fact = CATALOG.facts.find((f) => f.kind === "place");
  return async (parameters) => {
    const found = await answer(parameters), located = found.groups.flatMap((g) => g.hits.map((p) => ({ p, place: valueOf(fact, p) }))).filter(({ place }) => place);
    if (!map) return found;
    const degrees = (number) => Math.round(number * 1e6) / 1e6;
    /** The list with its filters, and with the place of some listings instead of another. */
    const around = ([first, ...rest]) => {
      const { latitude, longitude } = first.place, km = Math.max(...rest.map(({ place }) => kmBetween(latitude, longitude, place.latitude, place.longitude)));
      const near = fact.filter ? { [fact.filter]: `${degrees(latitude)},${degrees(longitude)},${Math.floor(km) + 1}` } : {};
      return `${location.pathname}${queryOf({ ...parameters, ...near })}#search-hits`;
    };
    if (located.length) drawMap(map, located, fact, around);
    else { map.replaceChildren(...map.querySelectorAll("svg")); document.querySelector(".map.overview")?.remove(); }
    caption.textContent = t("On the map: {n} of {all}", { n: located.length, all: found.total });
    return found;
  };
};

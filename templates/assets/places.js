// The map of a list: a point whose listings are all filtered away goes, too.
const allOfList = listSource;
listSource = (form) => {
  const answer = allOfList(form), points = [...document.querySelectorAll(".map a")];
  return async (parameters) => {
    const found = await answer(parameters), slugs = new Set(found.groups.flatMap((g) => g.hits.map((p) => p.slug)));
    for (const point of points) point.toggleAttribute("hidden", !point.dataset.of.split(" ").some((slug) => slugs.has(slug)));
    return found;
  };
};

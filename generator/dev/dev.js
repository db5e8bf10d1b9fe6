// Reloads the page when it has changed, and shows what is wrong with the content.
(() => {
  const bar = document.getElementById("dev-findings"), { hash } = document.currentScript.dataset;
  let events;
  const listen = () => {
    events = new EventSource(`/_dev/events?${new URLSearchParams({ page: location.pathname, hash })}`);
    events.addEventListener("reload", () => {
      events.close();
      location.reload();
    });
    events.addEventListener("findings", ({ data }) => {
      bar.innerHTML = data;
      bar.hidden = !data;
    });
  };
  // Browsers open about six connections to a host, so hidden tabs close theirs.
  document.addEventListener("visibilitychange", () => {
    events?.close();
    if (!document.hidden) listen();
  });
  if (!document.hidden) listen();
})();

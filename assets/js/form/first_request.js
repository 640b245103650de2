// Runs in the page before the form's script is there: what is next is asked for at once, and its pictures with it.
(() => {
  const api = document.currentScript.dataset.api;
  const address = new URLSearchParams(location.search);
  if (address.has("campaign") || address.has("preview")) return;
  let quick = true;
  try {
    quick = localStorage.getItem("concord.quick") !== "false";
  } catch {
    /* as for whoever has chosen nothing */
  }
  const route = quick ? "next?quick=true" : "next";
  const headers = { "accept-language": address.get("lang") ?? navigator.languages.join(",") };
  const answer = fetch(api + route, { headers, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(15_000) })
    .then(async (response) => ({ ok: response.ok, data: response.ok ? await response.json() : null }))
    .catch(() => ({ ok: false, data: null }));
  window.concordFirst = { route, answer };
  answer.then(({ data }) => {
    for (const { image } of data?.tasks?.[0]?.images ?? []) new Image().src = `${image}?w=1600`;
  });
})();

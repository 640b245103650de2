// In figures with too many marks for links a click leads to the address that a mark has as its data.

/** Follows the figure in the element of this id. Plotly makes a figure whenever it likes, so it is asked when pointed at. */
export function follow(id, studio) {
  document.addEventListener("pointerover", (event) => {
    const figure = event.target.closest?.(`#${id} .js-plotly-plot`);
    if (!figure || !figure.on || figure.dataset.followed) return;
    figure.dataset.followed = "yes";
    figure.on("plotly_click", (click) => {
      const address = click.points[0]?.customdata;
      if (typeof address === "string" && address.startsWith(studio)) location.assign(address);
    });
  });
}

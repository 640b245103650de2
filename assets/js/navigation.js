// The bar of Studio: its menu on a phone, and the switch between light and dark, which the browser remembers.

const KEY = "concord.theme";

function dark() {
  return document.body.classList.contains("dark");
}

function paint(button) {
  button.textContent = dark() ? "☀" : "☾";
  button.title = dark() ? "Light" : "Dark";
}

export function mount(element) {
  const menu = element.querySelector(".cc-nav-menu");
  menu.addEventListener("click", () => menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true")));
  // not by its address: that is below Gradio's base, which is another page's
  element.querySelector(".cc-nav-skip").addEventListener("click", (event) => {
    event.preventDefault();
    element.querySelector("#content").focus();
  });
  const theme = element.querySelector(".cc-nav-theme");
  const kept = localStorage.getItem(KEY);
  if (kept) document.body.classList.toggle("dark", kept === "dark");
  theme.addEventListener("click", () => {
    document.body.classList.toggle("dark");
    localStorage.setItem(KEY, dark() ? "dark" : "light");
    paint(theme);
  });
  paint(theme);
}

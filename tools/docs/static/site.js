/* What pages of the theme lack for readers without a mouse or a screen. */
document.addEventListener("DOMContentLoaded", () => {
  const set = (selector, name, value) => document.querySelectorAll(selector).forEach((one) => one.setAttribute(name, value));
  set(".caption[role=heading]", "aria-level", "2");
  set(".highlight pre, .table-wrapper", "tabindex", "0");
  set(".sidebar-drawer", "aria-label", "Pages");
  set(".toc-drawer", "aria-label", "On this page");
  document.querySelectorAll("[aria-role]").forEach((one) => one.removeAttribute("aria-role"));
});

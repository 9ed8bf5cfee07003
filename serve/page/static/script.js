// What the page does beside: everything works without it.
"use strict";

// Forms are sent without leaving the place: the answer takes the place of what is shown.
document.addEventListener("submit", async event => {
  const form = event.target, button = event.submitter;
  if ("plain" in form.dataset || event.defaultPrevented) return;
  event.preventDefault();
  const data = new FormData(form, button), post = form.method === "post";
  const url = new URL(form.getAttribute("action") || location.href, location.href);
  const fields = () => new URLSearchParams([...data].filter(([, v]) => typeof v === "string"));
  if (!post) url.search = fields();
  const body = !post ? undefined : form.enctype === "multipart/form-data" ? data : fields();
  const sent = await load(url, { method: post ? "POST" : "GET", body, redirect: "follow" }, post);
  if (sent && !post) history.replaceState(null, "", url);
});

// load shows the answer to a request, or says that there is none.
async function load(url, options, post) {
  document.body.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(url, options);
    if (reply.redirected) return location.assign(reply.url);
    show(await reply.text(), post);
    return true;
  } catch {
    silent();
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

// silent says that the server does not answer, and leaves all that is shown and typed.
function silent() {
  document.getElementById("silent")?.remove();
  const said = document.createElement("div");
  said.id = "silent";
  said.className = "status lost";
  said.setAttribute("role", "alert");
  said.append("The server does not answer: polyad may be stopped. Nothing here is lost; what you just did may not have reached it.");
  document.getElementById("main").prepend(said);
}

function show(html, post) {
  const next = new DOMParser().parseFromString(html, "text/html");
  const main = document.getElementById("main"), y = scrollY;
  document.title = next.title;
  main.replaceWith(document.adoptNode(next.getElementById("main")));
  prepare();
  scrollTo(0, y);
  const status = document.getElementById("status");
  if (status) status.focus({ preventScroll: true });
  const sure = document.querySelector(".danger :is(input:not([type=hidden]), button), .naming [autofocus]");
  if (sure) {
    sure.form.scrollIntoView({ block: "center" });
    sure.focus();
  }
  const answer = document.getElementById("answer");
  if (post && answer && !status) answer.scrollIntoView();
}

// What needs the script is shown where it runs, and what changes by itself is asked for again.
function prepare() {
  for (const all of document.querySelectorAll("[data-all]")) all.disabled = false;
  if (document.querySelector("main[data-poll]")) setTimeout(() => {
    if (document.querySelector("main[data-poll]")) load(location.href);
  }, 1500);
  const token = document.querySelector("[data-token]");
  if (token && location.hash.length > 1) { // the address that a terminal printed
    token.elements.token.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname + location.search);
    token.requestSubmit();
  }
}

// A class that is chosen from the list is taught like that of a button.
document.addEventListener("input", event => {
  if (event.target.name === "other" && event.inputType === "insertReplacementText") event.target.form.requestSubmit();
});

let last = null; // the box that was ticked last: with Shift all up to here
document.addEventListener("click", event => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || box.type !== "checkbox") return;
  const boxes = [...document.querySelectorAll("input[name=id]")];
  if ("all" in box.dataset) for (const b of boxes) b.checked = box.checked;
  else if (event.shiftKey && boxes.includes(last)) {
    const [a, b] = [boxes.indexOf(last), boxes.indexOf(box)].sort((x, y) => x - y);
    for (const between of boxes.slice(a, b + 1)) between.checked = box.checked;
  }
  if (boxes.includes(box)) last = box;
  const n = boxes.filter(b => b.checked).length, text = document.querySelector(".chosen");
  if (text) text.textContent = n ? `Teach ${n} chosen as` : "Teach the chosen as";
});

// Files that are dropped are as those that were chosen. A message to try is tried at once.
const over = on => document.querySelector("[data-drop]")?.classList.toggle("over", on);
document.addEventListener("dragover", event => { if (over(true)) event.preventDefault(); });
document.addEventListener("dragleave", event => { if (!event.relatedTarget) over(false); });
document.addEventListener("drop", event => {
  const form = document.querySelector("[data-drop]");
  over(false);
  if (!form || !event.dataTransfer.files.length) return;
  event.preventDefault();
  form.elements.file.files = event.dataTransfer.files;
  if (!form.elements.message) return form.elements.class.focus();
  form.elements.message.value = "";
  form.requestSubmit();
});

prepare();

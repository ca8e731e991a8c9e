// Style sheets that a page rarely needs are loaded on demand, to keep the common one small.
const asked = new Set();

export function needStyle(url) {
  if (asked.has(url.href)) return;
  asked.add(url.href);
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: url.href }));
}

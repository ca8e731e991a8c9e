// Rules that a page needs only now and then come when they are needed: what all pages carry stays small.
const asked = new Set();

export function needStyle(url) {
  if (asked.has(url.href)) return;
  asked.add(url.href);
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: url.href }));
}

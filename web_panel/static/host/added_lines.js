// Lines that extensions add to the host's page: their modules run before the page's own.

/** @import { Now } from "./host_seats.js" */

const makers = [];

/** @param {(now: Now) => Element} make */
export function addLine(make) {
  makers.push(make);
}

/** @param {Now} now */
export const addedLines = (now) => makers.map((make) => make(now));

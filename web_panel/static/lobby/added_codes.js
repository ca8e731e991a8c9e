// Codes that extensions show before those of the seats: what a phone has to do first to get to the table.

/** @typedef {{ card: string, title: string, label: string, parts: Element[] }} Code */

const makers = [];

/**
 * `answer` is what /api/tickets has answered, or /api/host/state.
 * @param {(answer: any) => Code | null} make
 */
export function addCode(make) {
  makers.push(make);
}

/** @returns {Code[]} */
export const addedCodes = (answer) => makers.map((make) => make(answer ?? {})).filter(Boolean);

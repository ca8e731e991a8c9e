// What a choice on the drawing or in a list does: at a table it is sent there. A page without a table puts in its own.
import { attempt, post } from "./live.js";

export const deeds = {
  choose: (action) => attempt(() => post("choose", { action })),
  why: (asked) => post("why", asked),
};

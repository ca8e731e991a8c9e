// The actions of choices on the drawing or in a list: requests to the table. A page without a table replaces them.
import { attempt, post } from "./live.js";

export const deeds = {
  choose: (action) => attempt(() => post("choose", { action })),
  why: (asked) => post("why", asked),
};

// The game as text, beside its replay; not beside that of the host, whose game may not be over.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { say } from "/static/shared/words.js";

add("replay-record", (id, host) => !host
  && element("a", { id: "as-text", href: `/api/records/${encodeURIComponent(id)}.txt`, download: "" }, say("As text")));

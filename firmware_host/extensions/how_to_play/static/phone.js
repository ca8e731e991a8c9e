// The lobby and a phone at the table: the sheet opens over them, and the game's words in texts lead to their meanings.
import { linkTerms, openOverPage } from "./over_page.js";
import { add } from "/static/shared/added.js";
import { needStyle } from "/static/shared/elements.js";

needStyle(new URL("terms.css", import.meta.url));
add("text", linkTerms);
openOverPage();

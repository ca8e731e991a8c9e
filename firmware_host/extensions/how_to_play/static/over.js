// A page on which something is being done: the sheet opens over it.
import { openOverPage } from "./over_page.js";

openOverPage();

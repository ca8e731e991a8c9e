// The page that explains the warning of the table's own certificate: its way on keeps what stands behind the #.
import { byId } from "/static/shared/elements.js";

const go = byId("go");
if (location.hash) go.setAttribute("href", `${go.getAttribute("href")}${location.hash}`);

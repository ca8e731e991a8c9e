// The menu of languages at the foot of every page. After a choice the page is loaded again.
import { allOf, byId } from "./elements.js";
import { post } from "./live.js";
import { requireCookies } from "./storage.js";

for (const button of allOf("[data-language]")) {
  button.addEventListener("click", async () => {
    try {
      requireCookies();
      await post("language", { language: button.dataset.language });
      location.reload();
    } catch (error) {
      byId("language-error").textContent = error.message;
    }
  });
}

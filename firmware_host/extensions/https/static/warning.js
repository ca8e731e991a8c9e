// Where the table has made its certificate itself: what phones that come for the first time show.
import { add } from "/static/shared/added.js";
import { say } from "/static/shared/words.js";

add("joining", ({ warns }) => warns
  && say("Your phone warns once of the table's own certificate: tap “Advanced” or “Show Details”, and go on."));

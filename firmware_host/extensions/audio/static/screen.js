// The switches of the big screen, as signs at its foot.
import { soundButtons } from "./sound.js";

soundButtons({ bySign: true });

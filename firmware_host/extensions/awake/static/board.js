// The virtual board stays on.
import { keepOn } from "./awake.js";

keepOn();

// A page without anything to do but its theme.
import { find, setUpTheme } from "./dom.js";

setUpTheme(find("#theme"));

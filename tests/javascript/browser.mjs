// What the scripts of the pages find in a browser and Node.js lacks: the catalogue of sentences, drawn elements, a store.
import { registerHooks } from "node:module";

registerHooks({
  resolve(name, context, next) {
    if (name.startsWith("/static/")) return next(new URL(`../../web_panel${name}`, import.meta.url).href, context);
    return name === "/words.js" ? next(new URL("./catalogue.mjs", import.meta.url).href, context) : next(name, context);
  },
});

class Drawn {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [], textContent: "" });
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }

  append(...children) {
    this.children.push(...children);
  }
}

class Store {
  getItem(name) {
    return Object.hasOwn(this, name) ? this[name] : null;
  }

  setItem(name, value) {
    this[name] = String(value);
  }

  removeItem(name) {
    delete this[name];
  }
}

const own = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
own("document", { createElementNS: (_space, tag) => new Drawn(tag) });
own("localStorage", new Store());

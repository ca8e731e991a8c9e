// In every page of a frame, before anything else: the pages name all paths from the root, which here is the folder of
// the frame's device. What they load is turned by the service worker; where they lead, here.
(() => {
  const [root] = /^.*\/at\/[^/]+\/[^/]+/.exec(location.pathname);

  async function save(address, name) {
    const answer = await fetch(address);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name || address.pathname.split("/").at(-1);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  navigation.addEventListener("navigate", (event) => {
    const to = new URL(event.destination.url);
    if (to.protocol === "blob:" || to.origin !== location.origin) return;
    if (event.downloadRequest !== null) {
      event.preventDefault();
      save(to, event.downloadRequest);
    } else if (event.cancelable && !to.pathname.startsWith(`${root}/`)) {
      event.preventDefault();
      const there = root + to.pathname + to.search + to.hash;
      // Another document, so not now: this one's navigation is just being given up.
      setTimeout(() => (event.navigationType === "replace" ? location.replace(there) : location.assign(there)));
    }
  });
})();

// The server's page has the slider and the main picture of a lesson before the platform has drawn anything, and they are
// live. Until they take the place of the platform's own, those wait; then what is there moves, with all that was done.
// nodes: their selectors; mount is called with them, and with whether they have moved.
/** @param {{ parentElement: HTMLElement, name: string, nodes: string[], onStage?: boolean }} part @param {Waiting["mount"]} mount */
function onceShown({ parentElement, name, nodes, onStage }, mount) {
  const stage = onStage ? null : lab.stage;
  if (stage?.has(name)) return stage.wait({ parentElement, name, nodes, mount });
  return mount(nodes.map((selector) => parentElement.querySelector(selector)), false);
}

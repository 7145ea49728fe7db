// The server's page has a live slider and a live main picture before Streamlit has drawn anything. Streamlit's own wait
// until these take their place, with all changes made to them. nodes: their selectors; mount is called with them, and with
// true if they have moved.
/** @param {{ parentElement: HTMLElement, name: string, nodes: string[], onStage?: boolean }} part @param {Waiting["mount"]} mount */
function onceShown({ parentElement, name, nodes, onStage }, mount) {
  if (!parentElement.isConnected) return () => {}; // Streamlit loads the script after drawing; the visitor may have gone on
  const stage = onStage ? null : lab.stage;
  if (stage?.has(name)) return stage.wait({ parentElement, name, nodes, mount });
  return mount(nodes.map((selector) => parentElement.querySelector(selector)), false);
}

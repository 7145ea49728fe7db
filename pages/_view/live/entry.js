// The address of a picture where its sliders stand at these values: all that it depends on in one order, and usual values
// left out, so that whoever keeps pictures keeps one of each, see `entry.py`.
/** @param {{ address: string, usual: Values }} told @param {Values} values */
function entryAt({ address, usual }, values) {
  const [place, query] = address.split("?");
  const said = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    if (value === usual[name]) said.delete(name);
    else said.set(name, value);
  }
  said.sort();
  return `${place}?${said}`;
}

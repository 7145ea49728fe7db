// The address of a picture at these values of its sliders: all that it depends on in one order, without defaults, so that
// a cache keeps each picture once, see `entry.py`.
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

// The address of the lesson as it is set; what is the visitor's own is left out.
function linkHere() {
  const link = new URL(location);
  for (const name of window.labOwn ?? []) link.searchParams.delete(name);
  return link;
}

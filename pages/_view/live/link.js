// The address of the lesson as it is set; what is the visitor's own is left out.
function linkHere() {
  const link = new URL(location.href);
  for (const name of lab.page?.own ?? lab.stage?.own ?? []) link.searchParams.delete(name);
  return link;
}

// The address of the lesson with its settings, without the visitor's own parameters.
function linkHere() {
  const link = new URL(location.href);
  for (const name of lab.page?.own ?? lab.stage?.own ?? []) link.searchParams.delete(name);
  return link;
}

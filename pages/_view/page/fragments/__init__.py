"""Parts of a page that only one lesson draws."""

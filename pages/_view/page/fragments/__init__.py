"""The parts of a page that only one lesson draws."""

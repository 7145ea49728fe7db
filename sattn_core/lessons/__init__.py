"""Modules of the lessons, one each: frozen Params in, and a frozen Result out with everything the page shows."""

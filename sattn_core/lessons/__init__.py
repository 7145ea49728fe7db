"""One module for each lesson: frozen Params in, and out a frozen Result with everything that the page shows."""

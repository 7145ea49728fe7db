"""One bundle a lesson: frozen Params in, a frozen Result with everything the page shows out."""

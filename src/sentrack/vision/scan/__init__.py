"""Videos scanned: what is where in every frame, how it moves and what colour it has."""

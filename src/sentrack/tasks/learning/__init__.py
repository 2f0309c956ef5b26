"""Parts of learning word models from clips paired with sentences."""

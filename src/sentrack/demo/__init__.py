"""Demonstrations: a made-up clip with its pixels, real footage, and what sentences find in them."""

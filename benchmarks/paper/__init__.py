"""The paper's Section 5 again, and what it could not compute: `python -m benchmarks.paper`."""

"""`python -m sentrack`."""

from sentrack.cli import main

main()

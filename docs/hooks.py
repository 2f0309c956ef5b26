"""What the site takes from the code while it is built."""

import re
import subprocess
import sys

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

import sentrack

MARK = "<!-- commands -->"


def commands() -> str:
    """All commands with their arguments and options, as Typer writes them, in Markdown."""
    call = [sys.executable, "-m", "typer", "sentrack.cli", "utils", "docs", "--name", "sentrack"]
    made = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    # Without the list of commands, whose sentences Typer cuts short; the table of contents has it.
    return re.sub(r"\*\*Commands\*\*:\n\n(\* .*\n)+", "", made[made.index("**Usage**") :])


def home(name: str) -> str:
    """The path by which mkdocstrings finds a public name.

    It reads the code without running it, and takes a function that has the name of its module for
    that module.
    """
    module = getattr(sentrack, name).__module__
    return f"{module}.{name}" if module.endswith(f".{name}") else f"sentrack.{name}"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put in the commands where a page asks for them, and say where public names are."""
    if MARK in markdown:
        markdown = markdown.replace(MARK, commands())
    return re.sub(
        r"^::: sentrack\.(\w+)$", lambda m: f"::: {home(m[1])}", markdown, flags=re.MULTILINE
    )

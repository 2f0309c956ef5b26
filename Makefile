# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Trackers to compare with. They ask for OpenCV with windows, which would take the place of the one
# without; what else they need comes with supervision.
TRACKERS := $(BIN)/pip install --quiet --no-deps "trackers>=2.6"

.PHONY: demo test suite types kernels docs bench soak paper lexicon clean

demo: $(VENV)/.core
	$(BIN)/sentrack demo

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory kernels
	$(MAKE) --no-print-directory --jobs=2 suite types

suite: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder --cov

types: $(VENV)/.dev
	$(BIN)/mypy

# Compiled once, before several processes need them at once.
kernels: $(VENV)/.dev
	$(BIN)/python -m tests.inference.uncompiled > /dev/null

# The site, in the folder site/. Material's notice is about a version that is not used.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.inference
	$(BIN)/python -m benchmarks.speed

# Harm of every kind, for an hour; the tests do a little of it.
soak: $(VENV)/.dev
	$(BIN)/python -m benchmarks.soak --minutes 60 --output docs/measured/soak.md

paper: $(VENV)/.bench
	$(BIN)/python -m benchmarks.paper

# The fitted words of `everyday`, from those written by hand and the annotated video beside the project.
lexicon: $(VENV)/.bench
	$(BIN)/python -m benchmarks.lexicon --output docs/measured/lexicon.md \
		--fitted src/sentrack/lexicon/shipped/everyday-fitted.toml

$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[video,serve]"
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/pip install --quiet --editable ".[dev]"
	$(TRACKERS)
	touch $@

$(VENV)/.docs: $(VENV)/.core
	$(BIN)/pip install --quiet --editable ".[docs]"
	touch $@

$(VENV)/.bench: $(VENV)/.core
	$(BIN)/pip install --quiet --editable ".[bench,serve]"
	$(TRACKERS)
	touch $@

clean:
	rm -rf $(VENV)

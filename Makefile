# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test bench clean

demo: $(VENV)/.core
	$(BIN)/sentrack demo

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.inference

$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[video]"
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/.bench: $(VENV)/.core
	$(BIN)/pip install --quiet --editable ".[bench]"
	touch $@

clean:
	rm -rf $(VENV)

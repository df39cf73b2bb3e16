PYTHON ?= python3
BIN := .venv/bin
JOBS ?= auto

.PHONY: help demo test test-all browser lint bench mutants docs audit lock clean

help:
	@echo "make demo      rank an embedded table and show what was kept"
	@echo "make test      lint, types and the quick tests"
	@echo "make test-all  everything, the long tests too"
	@echo "make bench     the speed tables"
	@echo "make docs      the documentation"
	@echo "make audit     known weaknesses of the locked versions (asks the network)"

demo: .venv/run.stamp
	$(BIN)/python -m inffs demo

# tests share the cores among processes, so each leaves BLAS one thread
test test-all mutants: export OPENBLAS_NUM_THREADS = 1

test: lint
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not browser"

test-all: lint browser .venv/docs.stamp
	$(BIN)/python -m pytest -n $(JOBS)

# Debian and Ubuntu, as root; elsewhere a browser that is there is used, or its tests are skipped
browser:
	@if (command -v chromium || command -v chromium-browser || command -v google-chrome) >/dev/null; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && apt-get install -y -qq chromium >/dev/null || echo "no browser: its tests are skipped"; \
	else echo "no browser here: install chromium to run the browser tests"; fi

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/dev.stamp
	$(BIN)/python benchmarks/inffs.py
	$(BIN)/python benchmarks/unsupervised.py growth
	$(BIN)/python benchmarks/scale.py tiles million

audit: .venv/dev.stamp
	$(BIN)/python -m venv .venv/audit
	.venv/audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	.venv/audit/bin/pip-audit --no-deps -r requirements/run.txt -r requirements/dev.txt -r requirements/docs.txt

# the mutation check, half an hour or more: make mutants MODULES="paths --every 5"
mutants: .venv/dev.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/dev.txt cosmic-ray==8.7.0
	$(BIN)/python -m tests.mutants $(MODULES)

docs: .venv/docs.stamp
	$(BIN)/python -m sphinx -W -b html docs docs/_build/html

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "inffs needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/run.stamp: requirements/run.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	touch $@

.venv/docs.stamp: requirements/docs.txt .venv/dev.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/docs.txt
	touch $@

lock:
	uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-package inffs --extra cli --extra dev -o requirements/dev.txt pyproject.toml
	uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-package inffs --extra cli -c requirements/dev.txt -o requirements/run.txt pyproject.toml requirements/build.in
	uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-package inffs --extra docs -c requirements/dev.txt -o requirements/docs.txt pyproject.toml

clean:
	rm -rf .venv build dist docs/_build docs/catalogue docs/gallery docs/generated docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache

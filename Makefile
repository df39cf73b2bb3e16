PYTHON ?= python3
BIN := .venv/bin
OLD := .venv-oldest/bin
PIP := -m pip install --quiet --disable-pip-version-check
JOBS ?= auto
WHEEL_TESTS ?= tests/core/test_golden.py tests/core/test_formula.py tests/cli tests/io tests/report

.PHONY: help demo test test-all test-oldest browser lint types bench reproduce mutants docs audit lock release-check release clean

help:
	@echo "make demo           analyse an embedded table and write a report"
	@echo "make test           run the linters, the type checker and the quick tests"
	@echo "make test-all       also run the long tests, and print the branch coverage"
	@echo "make test-oldest    run the quick tests with the oldest supported versions"
	@echo "make bench          measure the speed tables"
	@echo "make reproduce      repeat the paper's experiments in results/ (hours; can be resumed)"
	@echo "make docs           build the documentation"
	@echo "make release-check  build the wheel and test it in a new environment"
	@echo "make release        do the same, and write the conda recipe to dist/conda"
	@echo "make audit          list known weaknesses of the locked versions (needs the network)"
	@echo "make lock           write new lock files after a change of pyproject.toml (needs the network)"

demo: .venv/run.stamp
	$(BIN)/python -m inffs demo

# tests share the cores among processes, so each leaves BLAS one thread
test test-all test-oldest mutants release-check: export OPENBLAS_NUM_THREADS = 1

# scikit-learn checks estimators under array_api_dispatch where SciPy has been told of it
ARRAY_API := SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -q -n $(JOBS) -k array_api tests/test_common.py

test: lint
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not browser"
	$(ARRAY_API)

test-all: lint browser .venv/docs.stamp .venv/third-party.stamp
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term:skip-covered
	$(ARRAY_API)

test-oldest: .venv-oldest/stamp
	$(OLD)/python -m pytest -n $(JOBS) -m "not slow and not browser"

# Debian and Ubuntu, as root; elsewhere a browser that is there is used, or its tests are skipped
browser:
	@if (command -v chromium || command -v chromium-browser || command -v google-chrome) >/dev/null; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && apt-get install -y -qq chromium >/dev/null || echo "no browser: its tests are skipped"; \
	else echo "no browser here: install chromium to run the browser tests"; fi

lint: types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/lint-imports
	$(BIN)/python -m tests.docs.check_docstrings

types: .venv/dev.stamp
	$(BIN)/mypy
	$(BIN)/mypy --strict tests/typing/user_program.py

bench: .venv/dev.stamp
	$(BIN)/python benchmarks/core_speed.py
	$(BIN)/python benchmarks/unsupervised.py growth
	$(BIN)/python benchmarks/scale.py tiles million

reproduce: .venv/dev.stamp
	$(BIN)/python -m reproduction run --jobs -1 --out results
	$(BIN)/python -m reproduction report results --out docs

audit: .venv/dev.stamp
	$(BIN)/python -m venv .venv/audit
	.venv/audit/bin/python $(PIP) pip-audit
	.venv/audit/bin/pip-audit --no-deps -r requirements/run.txt -r requirements/dev.txt -r requirements/docs.txt -r requirements/third-party.txt

# the mutation check, half an hour or more: make mutants MODULES="paths --every 5"
mutants: .venv/dev.stamp
	$(BIN)/python $(PIP) cosmic-ray==8.7.0
	$(BIN)/python -m tests.mutants $(MODULES)

docs: .venv/docs.stamp
	$(BIN)/python -m sphinx -W -b html docs docs/_build/html

# the demo with nothing but what the command declares, then tests of the wheel away from the sources
release-check: .venv/dev.stamp
	rm -rf dist build/release
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/release
	mkdir build/release/sources && tar -xzf dist/*.tar.gz -C build/release/sources --strip-components 1
	rm -r build/release/sources/src
	build/release/bin/python $(PIP) --require-hashes --no-deps -r requirements/run.txt
	build/release/bin/python $(PIP) --no-deps dist/*.whl
	cd build/release && bin/inffs demo
	build/release/bin/python $(PIP) --require-hashes --no-deps -r requirements/dev.txt
	cd build/release/sources && ../bin/python -m mypy --strict tests/typing/user_program.py
	cd build/release/sources && ../bin/python -m pytest -n $(JOBS) -m "not slow and not browser" $(WHEEL_TESTS)

# fills the placeholders of conda/meta.yaml from the source archive that was just checked
release: release-check
	mkdir -p dist/conda
	version=$$($(BIN)/python -c 'import inffs; print(inffs.__version__)') && \
	  hash=$$(openssl dgst -sha256 -r "dist/inffs-$$version.tar.gz" | cut -d ' ' -f 1) && \
	  sed -e "s/@VERSION@/$$version/" -e "s/@SHA256@/$$hash/" conda/meta.yaml > dist/conda/meta.yaml

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "inffs needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/run.stamp: requirements/run.txt pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) --require-hashes --no-deps -r requirements/run.txt
	$(BIN)/python $(PIP) --no-deps --no-build-isolation -e .
	touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	$(BIN)/python $(PIP) --require-hashes --no-deps -r requirements/dev.txt
	touch $@

.venv/docs.stamp: requirements/docs.txt .venv/dev.stamp
	$(BIN)/python $(PIP) --require-hashes --no-deps -r requirements/docs.txt
	touch $@

# selectors of other packages, which the reproduction compares
.venv/third-party.stamp: requirements/third-party.txt .venv/dev.stamp
	$(BIN)/python $(PIP) --require-hashes --no-deps -r requirements/third-party.txt
	touch $@

# versions as old as pyproject.toml allows have no wheels for the newest Pythons
.venv-oldest/stamp: requirements/oldest.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' \
	  || { echo "the oldest versions need Python 3.11 or 3.12: make PYTHON=/path/to/python3.11 test-oldest"; exit 1; }
	$(PYTHON) -m venv --clear .venv-oldest
	$(OLD)/python $(PIP) --require-hashes --no-deps -r requirements/oldest.txt
	$(OLD)/python $(PIP) --no-deps --no-build-isolation -e .
	touch $@

UV := .venv/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-header --no-annotate --no-emit-index-url --no-emit-package inffs pyproject.toml

# the oldest versions stand beside what was current with them (the date of the youngest of them)
lock: .venv/bin/python
	$(BIN)/python -m venv .venv/uv
	.venv/uv/bin/python $(PIP) uv
	$(UV) --extra cli --extra dev -o requirements/dev.txt
	$(UV) --extra cli -c requirements/dev.txt -o requirements/run.txt requirements/build.in
	$(UV) --extra docs -c requirements/dev.txt -o requirements/docs.txt
	$(UV) --extra third-party -c requirements/dev.txt -c requirements/docs.txt -o requirements/third-party.txt
	$(UV) --extra test --resolution lowest-direct --exclude-newer 2025-06-15 -o requirements/oldest.txt requirements/build.in

clean:
	rm -rf .venv .venv-oldest build dist docs/_build docs/api docs/catalogue docs/gallery docs/generated docs/sg_execution_times.rst .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

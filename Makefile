# Two commands do all the set-up: `make demo` and `make test`. They need Python 3.11 or newer, make and a network.

# The first Python that is new enough; `make PYTHON=/path/to/python3 …` chooses another.
PYTHON ?= $(or $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done),python3)
PIP = .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check
# The environment that the tests run in: it holds the built package, never this folder.
INSTALLED = build/installed

.PHONY: demo test check bench bench-fleet clean
.NOTPARALLEL:

demo: .venv/ready-to-run
	@.venv/bin/smianalyze demo -o smi-report --force
	@echo "The report: $(CURDIR)/smi-report/report.md"

test: check
	@.venv/bin/python tests/fresh_install.py $(INSTALLED)
	@SMIANALYZE_TEST_INSTALLED=1 PYTHONSAFEPATH=1 $(INSTALLED)/bin/python -m pytest -q -n auto

check: .venv/ready-to-develop
	@.venv/bin/ruff check --quiet .
	@.venv/bin/ruff format --check --quiet .
	@.venv/bin/mypy
	@.venv/bin/cog --check --verbosity=1 README.md README.zh-CN.md docs/*.md

# Times us beside others: a quarter of an hour. `make bench SIZE_MB=20` is rough and quick.
SIZE_MB = 200
bench: .venv/ready-to-develop .venv/ready-to-measure
	@.venv/bin/python benchmarks/bench.py --size-mb $(SIZE_MB) --output benchmarks/results.md
	@.venv/bin/cog -r --verbosity=1 README.md README.zh-CN.md docs/*.md

# Many hosts into a dataset, by one process and by several: ten minutes. `make bench-fleet HOSTS=20` is quick.
HOSTS = 200
HOST_MB = 5
bench-fleet: .venv/ready-to-develop
	@.venv/bin/python benchmarks/bench_fleet.py --hosts $(HOSTS) --size-mb $(HOST_MB) --output benchmarks/fleet_results.md
	@.venv/bin/cog -r --verbosity=1 README.md docs/*.md

clean:
	@rm -rf .venv build dist smi-report *.egg-info

.venv/ready-to-run: pyproject.toml | .venv/bin/pip
	@$(PIP) -e .
	@touch $@

.venv/ready-to-develop: pyproject.toml | .venv/bin/pip
	@$(PIP) -e ".[dev]"
	@touch $@ .venv/ready-to-run

.venv/ready-to-measure: pyproject.toml | .venv/bin/pip
	@$(PIP) -e ".[bench]"
	@touch $@ .venv/ready-to-run

.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("smianalyze needs Python 3.11 or newer; $(PYTHON) is %s. Say: make PYTHON=/path/to/python3" % sys.version.split()[0])'
	@$(PYTHON) -m venv .venv

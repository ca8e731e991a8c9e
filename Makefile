# `make play` and `make test` do all the set-up by themselves: Python >= 3.11 with venv is all they assume.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
# The make of macOS is 3.81, which knows no --output-sync.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# Two more than there are cores: browsers are busy, but tests that drive them also wait.
WORKERS ?= $(shell expr `getconf _NPROCESSORS_ONLN 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2` + 2)

# What is installed beyond the libraries of every table: in a release beside others (install.sh, update) all of it.
EXTENSIONS ?= $(if $(filter releases,$(notdir $(abspath ..))),link metrics club)

# The folders that name something to compile.
COMPILED := $(dir $(shell grep -ls '^COMPILED\b' firmware_host/*/__init__.py firmware_host/*/*/__init__.py))
TEXTS := firmware_host/compile.py $(wildcard $(COMPILED:%=%*.py) $(COMPILED:%=%*/*.py))

# Journals are synchronised to the disk all the time: in memory, where there is room, tests don't wait for it.
ROOMY := $(shell [ -w /dev/shm ] && [ `df -Pk /dev/shm | awk 'END { print $$4 }'` -gt 2000000 ] && echo /dev/shm)

# How tests are run; docs/testing.md says what runs when. What is left out of each run is named by marks (pyproject.toml).
PYTEST := $(if $(ROOMY),TMPDIR=$(ROOMY)) $(BIN)/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal
SHARD_RUN := $(if $(ROOMY),TMPDIR=$(ROOMY)) $(BIN)/python -m tests.shards
SCRIPTS := web_panel/static $(wildcard firmware_host/extensions/*/static firmware_host/link/static)
CHECKED := $(wildcard tests/text tests/games tests/table tests/sensing tests/boardfile tests/javascript)

# Stops, saying why, unless a line of Python that begins with an import runs.
comma := ,
needs = $(if $(shell $(PYTHON) -c 'import $(1)' >/dev/null 2>&1 && echo well),,$(error $(2)))

.PHONY: setup ready beside setup-test compile play check ruff types layers scripts pure-tests test test-tools at-hand plain test-thorough shards test-pi lint words ladder bench bench-long pictures docs pages source wheels all-wheels packaging check-packages release soak players club clean

setup: $(VENV)/.compiled $(VENV)/.hardware $(EXTENSIONS:%=$(VENV)/.extension-%)

ready: $(VENV)/.installed $(VENV)/.hardware

COMPILING = $(MAKE) --no-print-directory BESIDE=--beside NICE='nice -n 19' beside

beside: $(VENV)/.compiled
	@:

# What was interrupted is made anew: half of pip, or half of a library, counts as installed.
$(VENV)/.python:
	$(call needs,sys; sys.exit(sys.version_info < (3$(comma) 11)),Lodestone needs Python 3.11 or newer; $(PYTHON) is $(shell $(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 play)
	$(call needs,venv$(comma) ensurepip,Python's venv is missing. On Debian or Raspberry Pi OS: sudo apt install python3-venv)
	$(PYTHON) -m venv $(VENV) --clear
	@touch $@

# Libraries are those of install/libraries (python -m tools.lock), which names every file by its digest: whoever trusts
# this folder need not trust what lies on the way to them. What pip builds on this machine is built by locked tools, too.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := PYPI=1 $(PIP) --no-build-isolation --require-hashes --requirement install/libraries

# PYPI=1: lgpio brings its C library along; Debian has none, Raspberry Pi OS does. The distribution was called lodestone.
$(VENV)/.installed: pyproject.toml install/libraries/build.txt install/libraries/base.txt $(VENV)/.python
	@cd $(VENV)/lib/python3*/site-packages && rm -rf ../../../../lodestone.egg-info lodestone-0.1.0.dist-info __editable__*lodestone[-_]0*
	@again=; [ ! -e $(VENV)/.begun ] || again=--ignore-installed; touch $(VENV)/.begun; set -ex; \
	  $(LOCKED)/build.txt $$again; \
	  $(LOCKED)/base.txt $$again; \
	  $(PIP) $$again --no-build-isolation --no-deps --editable .
	@rm $(VENV)/.begun
	@touch $@

# On a Raspberry Pi: the libraries for its pins, by its model and kernel. Elsewhere the simulator needs none.
$(VENV)/.hardware: install/libraries/pi.txt install/libraries/pi-lgpio.txt install/libraries/pi5.txt hw/pi.py $(VENV)/.installed
	@extra=`$(BIN)/python -m hw.pi`; if [ -n "$$extra" ]; then \
	  echo "Installing lodestone-board[$$extra] for this Pi ..."; \
	  $(LOCKED)/$$extra.txt || echo "The simulator works; for a real board mend that and run make setup. It may need: sudo apt install gcc libc6-dev python3-dev swig"; \
	fi
	@touch $@

# Far tables, Home Assistant, metrics, clubs: an installed release has the libraries of all, a clone installs what it wants
# (make setup EXTENSIONS=link). Where one can't be had the table opens without, and says so; the next setup tries again.
# The club's are large, and never built on this machine: its page may run on any other.
$(VENV)/.extension-%: install/libraries/%.txt $(VENV)/.installed
	@$(LOCKED)/$*.txt $(if $(filter club,$*),--only-binary :all:) && touch $@ \
	  || echo "The libraries of lodestone-board[$*] could not be installed; all else works. With a network: make setup"

# What compiles. Without it, or without a C compiler, the same text runs in plain Python: no reason to fail.
SLOWER = echo "Everything works; only searches and random games are slower. Once that is mended: make compile"

$(VENV)/.compiler: install/libraries/compiled.txt $(VENV)/.installed
	@$(LOCKED)/compiled.txt && touch $@ || $(SLOWER)

# `make compile` tries again.
$(VENV)/.compiled: $(TEXTS) $(VENV)/.compiler
	@$(if $(BESIDE),,echo "Compiling the search for this machine (half a minute on a desktop) ...")
	@[ ! -e $(VENV)/.compiler ] || $(NICE) $(BIN)/python -m firmware_host.compile $(BESIDE) || $(SLOWER)
	@touch $@

compile:
	@rm -f $(VENV)/.compiled firmware_host/compiled.hashes
	@$(MAKE) --no-print-directory setup

setup-test: $(VENV)/.installed-test $(VENV)/.compiled

# The files of both are the same where they have the same libraries: pip has nothing to change under the compiler.
$(VENV)/.installed-test: install/libraries/test.txt $(VENV)/.compiler
	$(LOCKED)/test.txt
	@touch $@

# With 1 or 2 it has said what is wrong, and ended by Ctrl-C how it goes on: make has nothing to add.
# The board is on the screen at once; what takes minutes is done beside it, and engines take it up when it is there.
play: ready
	@$(COMPILING) &
	@trap : INT; $(BIN)/lodestone play $(ARGS) || [ $$? -le 2 ]

lint: ruff types layers scripts

ruff: setup-test
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: setup-test
	@$(BIN)/mypy --no-error-summary

layers: setup-test
	@told=`$(BIN)/lint-imports` || { echo "$$told"; exit 1; }

# TypeScript over the pages' scripts, and a linter: Deno's, which is one program in a wheel. deno.json says what they check.
scripts: export DENO_DIR := $(CURDIR)/$(VENV)/.deno
scripts: export DENO_NO_UPDATE_CHECK := 1
scripts: setup-test
	@$(BIN)/deno check --quiet $(SCRIPTS)
	@$(BIN)/deno lint --quiet $(SCRIPTS) tests/javascript $(wildcard tools/tab/*.js tools/tab/*.mjs)

pure-tests: setup-test
	@$(PYTEST) --numprocesses=auto --quiet -m 'not thorough and not slow' $(CHECKED) $(ARGS)

# For the inner loop: what needs no program, no browser and no waiting, all at once.
check: setup-test
	@$(MAKE) --no-print-directory --jobs=4 $(SYNC) ruff types layers scripts pure-tests

# What Python has compiled is kept, whatever the machine says otherwise: not every worker and program does it again.
check test test-thorough test-pi: export PYTHONDONTWRITEBYTECODE :=

# What tests need beside Python: installed where that is possible, else it is said what is missing. Where files or folders
# of tests are named (make test ARGS=tests/table), what these need.
NAMED := $(filter tests/%,$(ARGS))
needed = $(if $(or $(if $(NAMED),,all),$(filter $(2),$(NAMED))),tests/$(1))

test-tools:
	$(call needed,need-chromium,tests/e2e% tests/extensions% tests/web_panel%)
	$(call needed,need-micropython,tests/extensions%)
	$(call needed,need-avr,tests/extensions%)
	$(call needed,need-mosquitto,tests/link% tests/extensions% tests/e2e%)

# What is fetched is fetched while the search is compiled.
at-hand:
	@$(MAKE) --no-print-directory --jobs=3 setup-test test-tools

# What takes one core is done beside the tests, and says what is wrong as soon as it knows. The first time one process
# compiles all tests as pytest does; after that the workers find them compiled.
test: at-hand
	@$(MAKE) --no-print-directory --jobs=2 $(SYNC) lint plain pages & beside=$$!; \
	  [ -e $(VENV)/.tests ] || ! $(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 || touch $(VENV)/.tests; \
	  $(PYTEST) $(ARGS); tested=$$?; \
	  wait $$beside || { echo "Ruff, mypy, the import rules, the scripts' types, the plain form or the pages have failed beside the tests: see above."; exit 1; }; \
	  $(SHARD_RUN) --old; exit $$tested

plain: setup-test
	@LODESTONE_PURE=1 $(PYTEST) --numprocesses=0 --quiet $(wildcard tests/games/test_*_forms.py) tests/services/test_conformance.py -k '(forms or own) and not altered' $(ARGS)

# Brings the catalogues of all languages up to date with what the program says: new sentences come in untranslated.
words: setup
	$(BIN)/python -m tools.words

# All of `make test`, all that it has a sample of, the plain form whole, and what only a Pi has: in shards (tests/shards.py).
# SHARD=3/12 runs one, SHARD=tonight the one whose turn it is. What it shows is written to docs/thorough.json.
test-thorough: export ARGS := $(ARGS)
test-thorough: setup-test
	@$(SHARD_RUN) $(SHARD) --workers=$(WORKERS) --args="$$ARGS"

# Cuts the shards anew, by what was measured of each file.
shards: setup-test
	@$(SHARD_RUN) --cut=$(or $(COUNT),12)

# What only a Pi has, emulated, and the installer in fresh systems; what this computer can't do is skipped with its reason.
test-pi: setup-test
	tests/need-qemu
	tests/need-userland
	$(BIN)/python -m pytest -m '' $(ARGS) tests/pi

# Every level against the one below it, and the best against the peers: docs/strength.md. It goes on where it stopped.
ladder: setup
	$(BIN)/python -m firmware_host.extensions.lab.ladder $(ARGS)

# `make bench players` measures the players alone, `make bench club` a club, `make bench ARGS=hands` what is named so.
bench: setup
	$(BIN)/python -m tests.bench $(if $(filter players,$(MAKECMDGOALS)),player) $(filter club,$(MAKECMDGOALS)) $(ARGS)

# What takes minutes each; the shards of make test-thorough run it, too.
bench-long: setup
	$(BIN)/python -m tests.bench --long

players club: bench
	@:

# docs/pictures; with ARGS="OUT TARGET" every screen and contact sheets into the folder OUT: docs/look.md.
pictures: setup-test
	tests/need-chromium
	@$(BIN)/python -m tests.e2e.pictures $(ARGS)

SITE = told=`NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict $${PAGES_ALONE:+--site-dir build/pages} 2>&1` \
  || { echo "$$told"; exit 1; }

# build/site: docs/ as a site. It fails at a page, a heading or a source that a link names and that is not there, and at a
# page that nothing leads to. (With --quiet mkdocs does not count its warnings, and --strict finds none.)
# Its try/ has the whole program for a browser tab (tools/tab_site.py): `python -m http.server -d build/site` shows it.
docs: $(VENV)/.installed-docs
	@tools/tab/need-pyodide
	@$(SITE)

# The same checks without the program for a browser tab, which takes most of the time.
pages: $(VENV)/.installed-docs
	@export PAGES_ALONE=1; $(SITE)

$(VENV)/.installed-docs: install/libraries/docs.txt $(VENV)/.installed
	$(LOCKED)/docs.txt
	@touch $@

# dist/: the source archive and a pure wheel, checked.
source: packaging
	$(BIN)/python -m build --no-isolation
	@$(MAKE) --no-print-directory check-packages

# The same, and a wheel with the compiled search for this Python and machine.
wheels: packaging
	$(BIN)/python -m build --no-isolation
	LODESTONE_COMPILED=1 $(BIN)/python -m build --no-isolation --wheel
	@$(MAKE) --no-print-directory check-packages

# Compiled wheels for every Python on this kind of machine (pyproject.toml, cibuildwheel), which need containers.
all-wheels: packaging
	@if docker info >/dev/null 2>&1; then $(BIN)/cibuildwheel --output-dir dist; \
	  else echo "No containers run here: one wheel, for this Python alone."; LODESTONE_COMPILED=1 $(BIN)/python -m build --no-isolation --wheel; fi
	@$(MAKE) --no-print-directory check-packages

packaging: setup
	$(LOCKED)/release.txt
	rm -rf dist build/lib build/bdist*

check-packages:
	rm -rf build/lib build/bdist*
	$(BIN)/check-wheel-contents dist
	$(BIN)/twine check --strict dist/*

# releases/: what `lodestone update` reads, signed, with the recipe of a ready image: update.md.
# KEY names the publisher's private key; without it the variable LODESTONE_PUBLISHER_KEY holds it.
release: setup
	$(BIN)/python -m firmware_host.extensions.appliance.release releases $${KEY:+--key "$$KEY"} $${TAG:+--tag "$$TAG"}

# The program for an hour (HOURS=24: for a day), with phones and attackers: what it takes of the machine, and what grows.
soak: setup-test
	@$(BIN)/python -m tests.extensions.lab.soak_program

clean:
	find firmware_host -name '*.so' -delete -o -name compiled.hashes -delete
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache tests/extensions/scanner/micropython/node_modules tests/extensions/scanner/avr/node_modules tools/tab/node_modules

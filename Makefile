# `make setup` needs Python 3.11 or newer with its venv module, make and git; every other target does the
# set-up itself. PYTHON=... chooses the interpreter of a new .venv; else the newest of those that the tests ran on, since
# from 3.12 on a child copies fewer pages.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= $(firstword $(foreach name,python3.13 python3.12 python3.11 python3,$(shell \
  $(name) -c 'import sys, venv, ensurepip; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
FUZZ := .venv-fuzz
FUZZ_STAMP := $(FUZZ)/.stamp
FUZZ_CORPUS := .fuzz
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard tests/fuzz/targets/*.py)))
SOAK_SECONDS ?= 1800

# One more than there are cores: many tests wait, for a lease or a limit.
WORKERS ?= --numprocesses=$(shell expr $$(nproc) + 1) --dist=loadfile
# Those in containers wait most of the time, and chaos needs a core of its own.
SLOW_WORKERS ?= --numprocesses=$(shell nproc) --dist=loadfile
PYTEST_ARGS ?=
PEERS := .venv-peers
PEERS_STAMP := $(PEERS)/.stamp
PEERS_JS := bench/peers
PEERS_JS_STAMP := $(PEERS_JS)/node_modules/.stamp
PEERS_TRIED := $(PEERS_JS)/.tried
ROWS ?=

IMAGE ?= langserver
IMAGE_ARGS ?=
SOURCE ?=
SBOM := dist/langserver.cdx.json
CONTAINER_ENGINE ?= $(firstword $(foreach name,podman docker,$(shell command -v $(name) 2>/dev/null)))

# The virtual path makes protoc write `from langserver.pb import lang_pb2`, with lang.proto still in proto/.
OUT := .
VENDOR := langserver/js_runtime/vendor
PROTOC = $(BIN)/python -m grpc_tools.protoc --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
  --python_out=$(OUT) --pyi_out=$(OUT) --grpc_python_out=$(OUT) --mypy_grpc_out=$(OUT)

.PHONY: help setup demo test test-slow test-all security chaos soak fuzz bench bench-long bench-peers lint format wheel sbom image proto bundles lock-js lock clean

help: ## shows this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## makes .venv from the lock

$(STAMP): requirements-dev.lock pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "Python 3.11 or newer is needed: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot make a virtual environment: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(VENV) from requirements-dev.lock"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
	  -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## a dozen tasks through a server of its own, and what became of each
	@$(BIN)/python demo/run.py

test: lint ## static checks and all tests but the slow ones
	$(BIN)/python -m pytest -m "not slow" $(WORKERS) $(PYTEST_ARGS)

test-slow: setup ## the slow tests only
	$(BIN)/python -m pytest -m slow $(SLOW_WORKERS) $(PYTEST_ARGS)

test-all: ## test, then test-slow
	$(MAKE) test
	$(MAKE) test-slow

security: setup ## the security suite: what each layer stops, printed and written into docs/threat-model.md
	@$(BIN)/python -m tests.security.suite.report $(PYTEST_ARGS)

chaos: setup ## 2,000 tasks while everything is killed in turn: minutes
	$(BIN)/python -m pytest tests/chaos $(PYTEST_ARGS)

soak: setup ## hostile and ordinary tasks for SOAK_SECONDS (1800), and whether anything has grown
	@$(BIN)/python -m tests.soak.run $(SOAK_SECONDS)

fuzz: $(FUZZ_STAMP) ## coverage-guided fuzzing, FUZZ_SECONDS (60) for each of FUZZ_TARGETS (all)
	@mkdir -p $(FUZZ_CORPUS)
	@for target in $(FUZZ_TARGETS); do \
	  $(FUZZ)/bin/python -m tests.fuzz.run $$target $(FUZZ_SECONDS) $(FUZZ_CORPUS) >$(FUZZ_CORPUS)/$$target.log 2>&1 \
	    || { tail -n 40 $(FUZZ_CORPUS)/$$target.log; exit 1; }; \
	  printf '%-14s ' $$target; grep -a DONE $(FUZZ_CORPUS)/$$target.log; \
	done

$(FUZZ_STAMP): requirements-fuzz.lock
	@$(PYTHON) -m venv $(FUZZ)
	@$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
	  -r requirements-fuzz.lock || { \
	  echo "atheris has wheels for Python 3.11 to 3.13 on x86-64 only: make fuzz PYTHON=python3.13" >&2; exit 1; }
	@touch $@

bench: setup $(PEERS_TRIED) ## figures: a table, and bench/results; ROWS=load,peers for some of them
	@$(BIN)/python -m bench.run $(if $(ROWS),--rows $(ROWS))

bench-long: setup ## whether server and bridge grow in 50,000 executions: minutes
	@$(BIN)/python -m bench.run --rows endurance,bridge_endurance

bench-peers: $(PEERS_STAMP) $(PEERS_JS_STAMP) ## installs what bench compares with

# Once and not each time: where one cannot be had, its rows are left out.
$(PEERS_TRIED): requirements-peers.lock $(PEERS_JS)/package-lock.json
	@$(MAKE) --keep-going --no-print-directory bench-peers \
	  || echo "a peer could not be installed, its rows are left out; make bench-peers tries again" >&2
	@touch $@

$(PEERS_STAMP): requirements-peers.lock
	@$(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
	  -r requirements-peers.lock
	@touch $@

# isolated-vm is compiled, with the headers of node where they lie beside it.
$(PEERS_JS_STAMP): $(PEERS_JS)/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed for the JavaScript peers" >&2; exit 1; }
	@echo "compiling isolated-vm for $$(node --version): a minute or two"
	@cd $(PEERS_JS) && prefix=$$(node -p 'path.resolve(process.execPath, "../..")') && \
	  { [ ! -e "$$prefix/include/node/node.h" ] || export npm_config_nodedir="$$prefix"; } && \
	  npm ci --no-audit --no-fund --silent
	@touch $@

lint: setup ## style, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: setup ## puts the code into its style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel: setup ## the wheel, in dist/
	@rm -f dist/*.whl
	@$(BIN)/python -m hatchling build --target=wheel

sbom: setup ## what the image gets besides its base, as CycloneDX, in dist/
	@$(BIN)/python deploy/sbom.py $(SBOM)

# podman keeps a health check in Docker's format only.
image: wheel sbom ## a container image, by podman or docker; IMAGE_ARGS="--build-arg BASE=..." for another base
	@[ -n "$(CONTAINER_ENGINE)" ] || { echo "podman or docker is needed: apt-get install podman" >&2; exit 1; }
	$(CONTAINER_ENGINE) build $(if $(findstring podman,$(CONTAINER_ENGINE)),--format docker) \
	  --build-arg VERSION="$$($(BIN)/langserver --version | cut -d' ' -f2)" \
	  --build-arg REVISION="$$(git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null)" \
	  --build-arg SOURCE="$(SOURCE)" $(IMAGE_ARGS) --file deploy/Dockerfile.hardened --tag $(IMAGE) .
	@$(CONTAINER_ENGINE) image inspect --format 'image $(IMAGE): {{.Size}} bytes; what is in it: $(SBOM)' $(IMAGE)

proto: setup ## generates langserver/pb and coordinator/pb from proto/
	$(PROTOC) --proto_path=langserver/pb=proto langserver/pb/lang.proto
	$(PROTOC) --proto_path=coordinator/pb=proto coordinator/pb/coordinator.proto

# Needs node 20 or newer and npm, which nothing else here does.
bundles: ## builds langserver/js_runtime/vendor from js/
	cd js && npm ci --ignore-scripts --no-audit --no-fund --silent && node build.mjs $(abspath $(VENDOR))

# Without what is installed: of that npm would write no hashes.
lock-js: ## resolves the locks of npm anew, without addresses
	for folder in js $(PEERS_JS); do rm -rf $$folder/node_modules; npm install --prefix $$folder --package-lock-only --omit-lockfile-registry-resolved \
	  --ignore-scripts --no-audit --no-fund --silent; done
	node js/lock.mjs js $(PEERS_JS)

# Needs uv. Newest versions within pyproject.toml's bounds; the other locks hold what the developers' holds too.
lock: ## resolves the locks anew
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --extra dev pyproject.toml -o requirements-dev.lock
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --extra postgresql --extra reflection --extra telemetry -c requirements-dev.lock pyproject.toml -o requirements.lock
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --group pyproject.toml:fuzz -c requirements-dev.lock -o requirements-fuzz.lock
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --group pyproject.toml:peers -c requirements-dev.lock -o requirements-peers.lock

clean: ## removes the environments and everything made
	rm -rf $(VENV) $(FUZZ) $(FUZZ_CORPUS) $(PEERS) $(PEERS_JS)/node_modules $(PEERS_TRIED) js/node_modules build dist bench/results .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# `make setup` needs Python 3.11 or newer with its venv module, make and git; every other target does the
# set-up itself. PYTHON=... chooses the interpreter of a new .venv.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
  $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
FUZZ := .venv-fuzz
FUZZ_STAMP := $(FUZZ)/.stamp
FUZZ_CORPUS := .fuzz
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard tests/fuzz/targets/*.py)))
PYTEST_ARGS ?=

IMAGE ?= langserver
IMAGE_ARGS ?=
CONTAINER_ENGINE ?= $(firstword $(foreach name,podman docker,$(shell command -v $(name) 2>/dev/null)))

# The virtual path makes protoc write `from langserver.pb import lang_pb2`, with lang.proto still in proto/.
PB := langserver/pb
OUT := .
VENDOR := langserver/js_runtime/vendor
PROTOC = $(BIN)/python -m grpc_tools.protoc --proto_path=$(PB)=proto \
  --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc

.PHONY: help setup demo test test-slow test-all security fuzz bench lint format wheel image proto bundles lock-js lock clean

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
	$(BIN)/python -m pytest -m "not slow" $(PYTEST_ARGS)

test-slow: setup ## the slow tests only
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

test-all: ## test, then test-slow
	$(MAKE) test
	$(MAKE) test-slow

security: setup ## the security suite: what each layer stops, printed and written into docs/threat-model.md
	@$(BIN)/python -m tests.security.suite.report $(PYTEST_ARGS)

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

bench: setup ## figures: a table, and bench/results/latest.json
	@$(BIN)/python -m bench.run

lint: setup ## style, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: setup ## puts the code into its style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel: setup ## the wheel, in dist/
	@rm -rf dist
	@$(BIN)/python -m hatchling build --target=wheel

image: wheel ## a container image, by podman or docker; IMAGE_ARGS="--build-arg BASE=..." for another base
	@[ -n "$(CONTAINER_ENGINE)" ] || { echo "podman or docker is needed: apt-get install podman" >&2; exit 1; }
	$(CONTAINER_ENGINE) build $(IMAGE_ARGS) --file deploy/Dockerfile.hardened --tag $(IMAGE) .

proto: setup ## generates langserver/pb from proto/lang.proto
	$(PROTOC) --python_out=$(OUT) --pyi_out=$(OUT) --grpc_python_out=$(OUT) --mypy_grpc_out=$(OUT) $(PB)/lang.proto

# Needs node 20 or newer and npm, which nothing else here does.
bundles: ## builds langserver/js_runtime/vendor from js/
	cd js && npm ci --ignore-scripts --no-audit --no-fund --silent && node build.mjs $(abspath $(VENDOR))

lock-js: ## resolves js/package-lock.json anew, without addresses
	cd js && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund --silent \
	  && node lock.mjs

# Needs uv. Newest versions within pyproject.toml's bounds; the other locks hold what the developers' holds too.
lock: ## resolves the locks anew
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --extra dev pyproject.toml -o requirements-dev.lock
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --extra reflection -c requirements-dev.lock pyproject.toml -o requirements.lock
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-header \
	  --group pyproject.toml:fuzz -c requirements-dev.lock -o requirements-fuzz.lock

clean: ## removes the environments and everything made
	rm -rf $(VENV) $(FUZZ) $(FUZZ_CORPUS) js/node_modules build dist bench/results .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

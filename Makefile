# Every target is a name, never a file: make cannot handle a path with a space in it, so all work with paths is in tools/.
.PHONY: help demo play bench docs release reliability mutants thorough all push test check unit coverage tools meta simulator integration pages site playbooks matrix target lint \
	sanity artifact molecule format lock clean
.DEFAULT_GOAL := help

RUN := sh tools/with-python -m tools

# A misspelt variable, or one of another target, would be passed over, and a target do what was not meant.
VARIABLES_OF_play := STATE PORT
VARIABLES_OF_release := VERSION KEY
VARIABLES := $(foreach goal,$(MAKECMDGOALS),$(VARIABLES_OF_$(goal)))
WRITTEN := $(foreach word,$(MAKEOVERRIDES),$(if $(findstring =,$(word)),$(firstword $(subst =, ,$(word)))))
UNKNOWN := $(filter-out $(VARIABLES) SHELL MAKEFLAGS,$(WRITTEN))
$(if $(UNKNOWN),$(error $(firstword $(UNKNOWN)): make $(MAKECMDGOALS) has no such variable. Its variables: $(or $(VARIABLES),none)))

help: ## Show these lines
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 20

demo: ## Start a panel simulator, onboard a customer on it, twice; needs Python 3.11, 3.12 or 3.13, and PyPI when it first runs
	@$(RUN).demo

play: ## Start three simulated panels on which you can type every guide; make play STATE=stopped ends them, PORT=18201 uses other ports
	@$(RUN).demo fleet "STATE=$(STATE)" "PORT=$(PORT)"

bench: ## Measure the collection beside other ways of doing the same work, and write docs/performance.md
	@$(RUN).bench
	@$(RUN).development tools.import_speed
	@$(RUN).development tools.content_speed

docs: ## Build the documentation as a site in .build/docs/site
	@$(RUN).development tools.docs

release: ## Make a release and publish nothing: make release VERSION=1.1.0 KEY=0123ABCD, or KEY=none without a signature
	@$(RUN).development ansible playbook tools/release.yml --extra-vars release_version="$(VERSION)" --extra-vars release_key="$(KEY)"

reliability: ## Try to make the collection lose, double or leak something, and write docs/reliability.md
	@$(RUN).development tools.reliability

mutants: ## Put faults of one line into a copy of the code, and fail where the tests do not notice one
	@$(RUN).development tools.mutants

check: ## Format, types, imports between the packages and quick linters, in seconds
unit: ## The unit tests, in seconds
test: ## What a change needs, in minutes: check, unit tests with coverage, playbooks, roles and pages, with no other preparation
all: ## What .ci/run runs: test and push in one pool, which takes less time than one after the other
push: ## The rest of what .ci/run runs: sanity tests, the oldest ansible-core, the archive, the site
thorough: ## What a release runs beside that: the other releases of ansible-core, kills, every guide, more examples
matrix: ## The other supported releases of ansible-core: unit tests, playbooks and sanity tests with each

coverage: ## Part of test: the unit tests, with the coverage of all plugins
tools: ## Part of test: the tests of the tools behind these targets
meta: ## Part of test: that every module has its documentation, tests and place in the lists
simulator: ## Part of test: the tests of the simulator
integration: ## Part of test: playbooks and roles against the simulator
pages: ## Part of test: the documentation's snippets
site: ## Part of push: the site that `make docs` builds
playbooks: ## Part of push: every kind of object in playbooks, as each ansible-core runs them
target: ## Part of push: modules on the oldest supported Python of a target
lint: ## Part of push: the linters that take longer, documentation and change log
sanity: ## Part of push: ansible-test sanity
molecule: ## Part of push: the scenarios of the roles
artifact: ## Part of push: build, content and installation of the archive, judged by the importer of Galaxy
check unit test push all thorough matrix coverage tools meta simulator integration pages site playbooks target lint sanity artifact molecule:
	@$(RUN).test $@

format: ## Put the Python files into the project's format
	@$(RUN).development ruff check --fix-only --exit-zero .
	@$(RUN).development ruff format .

lock: ## Make the lock files again, with the newest releases that the .in files allow
	@$(RUN).development tools.environments

clean: ## Remove everything that the targets above made, also the temporary folders of killed runs
	@$(RUN).clean
	rm -rf .build .venv .ansible .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

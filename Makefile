# The book in two commands: `make book` builds the site, `make test` proves every number on it.
# Python 3.11 or later is all that is needed; README.md gives the same steps without make.

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
STAMP := .venv/.installed
CHECK_STAMP := .venv/.check-installed
PAGES := _build/html

.PHONY: book pdf serve run sweep lab course test bench test-course faults mutants fuzz reproduce lock clean help check-site check-workflow

book: $(STAMP) ## build the site into _build/html, executing only the chapters that changed
	@$(BIN)/python tools/run_chapters.py
	@$(BIN)/python tools/build_site.py
	@echo "Open $(PAGES)/index.html in a browser, or run: make serve"

pdf: $(STAMP) ## build and check the book as one PDF, in _build/pdf (needs TeX; minutes)
	@$(BIN)/python tools/run_chapters.py
	@$(BIN)/python tools/build_pdf.py

serve: ## serve the built site on this machine (PORT=8000)
	@test -f $(PAGES)/index.html || { echo "No site yet; run: make book"; exit 1; }
	@echo "Reading at http://localhost:$(PORT)/ (stop with Ctrl+C)"
	@$(PYTHON) -m http.server $(PORT) --bind 127.0.0.1 --directory $(PAGES)

run: $(STAMP) ## execute all chapters again in place, two at a time
	@$(BIN)/python tools/run_chapters.py --force

sweep: $(STAMP) ## train all settings of chapter 11 again (minutes; may be stopped and restarted)
	@$(BIN)/python tools/sweep.py

lab: $(STAMP) ## open the chapters in JupyterLab (installs it first)
	@echo "Installing JupyterLab ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.txt --editable ".[lab]"
	@$(BIN)/jupyter trust book/*.ipynb > /dev/null
	@$(BIN)/jupyter lab --config tools/jupyter_lab_config.py --notebook-dir book

course: $(STAMP) ## make the student and the instructor edition in _build/course (CHAPTERS="3 5" for some)
	@$(BIN)/python tools/course.py $(CHAPTERS)

# The two longest files come first, so that no worker is left with one of them at the end.
test: $(STAMP) ## re-run every chapter and compare each output, test the library, check a fresh site
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder --nbval tests/test_site.py tests/test_build.py book tests

test-course: $(STAMP) ## grade every listed answer and all synthetic submissions (minutes)
	@$(BIN)/python -m pytest -q -m slow tests/test_grading.py tests/test_course_editions.py

bench: $(STAMP) ## time the library beside its peers on one thread (minutes; peers: pip install -e .[bench])
	@$(BIN)/python -m benchmarks

faults: $(STAMP) ## plant faults in the statements and record which check goes red (minutes)
	@$(BIN)/python tools/faults.py

fuzz: $(STAMP) ## give hostile input to every public function of the library and record the counts (minutes)
	@$(BIN)/python tests/fuzz.py

reproduce: $(STAMP) ## execute copies of the chapters again, with other threads and interpreters, as on an older processor, warnings as errors
	@$(BIN)/python tools/reproduce.py

mutants: $(STAMP) ## change the library one token at a time and see whether its tests notice (MODULES="rates loss")
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.txt --editable ".[mutants]"
	@$(BIN)/python tools/mutants.py $(MODULES)

check-site: $(CHECK_STAMP) book ## check the built site in Chromium with axe-core and Lighthouse (CHECKS=--no-speed leaves out the scores for speed)
	@$(BIN)/python -m pytest -q tests/test_browser.py
	@$(BIN)/python tools/check_site.py $(CHECKS)

check-workflow: $(STAMP) ## check the workflow that publishes the book, without running it
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.txt --editable ".[workflow]"
	@$(BIN)/python -m pytest -q tests/test_publishing.py

lock: $(STAMP) ## compile requirements.txt from pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	  --extra chapters --extra book --extra test --no-header --no-emit-index-url pyproject.toml --output-file requirements.txt

clean: ## remove the site and the environment
	rm -rf _build .venv .pytest_cache .hypothesis

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

$(STAMP): requirements.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the packages of requirements.txt ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# Node and Chromium are asked for here, and nowhere else.
$(CHECK_STAMP): $(STAMP) tools/browser/package.json tools/browser/package-lock.json
	@command -v npm > /dev/null || { echo "make check-site needs Node with npm, and Chromium (Debian: apt-get install npm chromium)"; exit 1; }
	@echo "Installing the tools of the checks ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.txt --editable ".[check]"
	@mkdir -p .venv/check && cp tools/browser/package.json tools/browser/package-lock.json .venv/check/
	@PUPPETEER_SKIP_DOWNLOAD=1 npm ci --prefix .venv/check --no-audit --no-fund --loglevel=error > /dev/null
	@touch $@

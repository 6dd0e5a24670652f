# make           build bin/piarchive
# make test      run all tests
# make check     formatting, vet, tidy, staticcheck, tests with the race detector; with node and pi, or
#                PIARCHIVE_PI=DIR:… for its npm packages, 500 random sessions are compared with pi's own;
#                the extension runs in these with tmux, and in omp with bun and PIARCHIVE_OMP=DIR:…
# make fuzz      run every fuzz target for FUZZTIME
# make bench     run the benchmarks, and measure how well search finds what is there
# make bench-full  measure whole runs over made sessions, 1 GB in 20 000 files and less, beside those of another
#                piarchive, BEFORE; SIZES=10000:20000 for 10 GB, and what else testdata/bench.sh says
# make demo      index the example sessions into a scratch archive and look around
# make install   install into PREFIX/bin, and the manual page into PREFIX/share/man

GO       ?= go
PREFIX   ?= $(HOME)/.local
FUZZTIME ?= 30s
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# what npm takes for a version: v1.2.3-4-g0123456 without its v; 0.0.0-g0123456 where there is no tag
NPM_VERSION ?= $(if $(filter v%,$(VERSION)),$(patsubst v%,%,$(VERSION)),0.0.0-g$(VERSION))
BINARY   := bin/piarchive$(shell $(GO) env GOEXE)

.PHONY: build test check fuzz bench bench-full demo npm install

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o $(BINARY) ./cmd/piarchive

test: # a busy machine may take long
	$(GO) test -timeout 30m ./...

check:
	@files=$$(gofmt -l cmd internal schema testdata); test -z "$$files" || { echo "not formatted:" $$files; exit 1; }
	$(GO) vet ./... ./testdata/bench
	$(GO) mod tidy -diff
	$(GO) tool staticcheck ./... ./testdata/bench
	PIARCHIVE_ROUNDS=$${PIARCHIVE_ROUNDS:-500} $(GO) test -race -timeout 60m ./...

fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) test -run Retrieval -count 1 -v ./cmd/piarchive

bench-full: build
	GO=$(GO) sh testdata/bench.sh $(BINARY) $(BEFORE)

demo: build
	sh testdata/demo.sh $(BINARY)

npm:
	sh extension/npm.sh $(NPM_VERSION) dist

install: build
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/
	mkdir -p $(DESTDIR)$(PREFIX)/share/man/man1
	$(BINARY) man > $(DESTDIR)$(PREFIX)/share/man/man1/piarchive.1

// The extension without its host: node --test --experimental-strip-types extension/test.ts
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { completer, inserted, token } from "./piarchive/complete.ts";
import { extend } from "./piarchive/extend.ts";
import { Finder } from "./piarchive/finder.ts";
import { Latest } from "./piarchive/latest.ts";
import { fork, open } from "./piarchive/open.ts";
import { ask, clean, commandLine, even, find, findOnceBuilt, findProgram, typed } from "./piarchive/program.ts";

const dir = mkdtempSync(join(tmpdir(), "piarchive"));
after(() => rmSync(dir, { recursive: true, force: true }));

/** A program that notes how it was called, and answers with what a function of its arguments returns. */
function program(name: string, answer: (args: string[]) => unknown): string {
	const file = join(dir, name);
	writeFileSync(
		file,
		`#!${process.execPath}
const args = process.argv.slice(2);
require("fs").appendFileSync(${JSON.stringify(`${file}.calls`)}, JSON.stringify(args) + "\\n");
const { text, error, status } = (${answer})(args);
if (text) console.log(JSON.stringify(text));
if (error) console.error(JSON.stringify(error));
process.exitCode = status;
`,
	);
	chmodSync(file, 0o755);
	return file;
}

const calls = (file: string) => readFileSync(`${file}.calls`, "utf8").trim().split("\n").map((line) => JSON.parse(line));

/** Waits until something holds; the test runner ends a test that waits for ever. */
async function until(holds: () => boolean): Promise<void> {
	while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const session = { path: "/s/a.jsonl", id: "4a369254-ef20", cwd: "/home/mira", title: 'the "gate"\u001b]0;x\u0007' };
const hit = { session, entry: { id: "e1", line: 4, role: "user", timestamp: "2026-01-28T09:12:08Z" }, where: "user", snippet: "a \u001b[2J\u202egate", ranges: [[9, 13]] };

const kit = {
	Input: class {
		value = "";
		getValue() { return this.value; }
		handleInput(data: string) { this.value += data; }
		render() { return [`> ${this.value}`]; }
	},
	matchesKey: (data: string, key: string) => data === key,
	truncateToWidth: (text: string, width: number) => text.slice(0, width),
	visibleWidth: (text: string) => text.length,
	wrapTextWithAnsi: (text: string) => [text],
};
const theme = { fg: (_: string, text: string) => text, bold: (text: string) => text };

test("what sessions say does nothing to a terminal", () => {
	assert.equal(clean("a\u001b[2J\nb\u0007\u009b\u202e\u200bc"), "a␛[2J b␛␛c");
	assert.equal(clean(undefined), "");
	assert.equal(even("👍🏽 🇩🇪 ❤️"), "👍 DE ❤");
});

test("the command line", () => {
	const wanted = { query: "", here: true, stale: false, limit: 5 };
	assert.deepEqual(commandLine(wanted), ["list", "--json", "-n", "5", "--project", "."]);
	assert.deepEqual(commandLine({ ...wanted, here: false, words: "-x" }), ["list", "--json", "-n", "5", "--", "-x"]);
	assert.deepEqual(commandLine({ ...wanted, query: "-v gate", stale: true, here: false }), ["search", "--json", "-n", "5", "--no-fresh", "-C", "2", "--", "-v gate*"]);
	assert.equal(typed("a OR"), "a OR");
	assert.equal(typed('"a ga'), '"a ga');
	assert.equal(typed("in:user"), "in:user");
});

test("hits become items", async () => {
	const file = program("hits", () => ({ text: { total: 3, notes: ["spelled otherwise"], hits: [HIT] } }));
	writeFileSync(file, readFileSync(file, "utf8").replace("HIT", JSON.stringify(hit)));
	const answer = await find(file, { query: "gate", here: false, stale: false, limit: 5 }, dir);
	assert.equal(answer.total, "3 hits");
	assert.equal(answer.note, "spelled otherwise");
	const [item] = answer.items;
	assert.equal(item.reference, "4a369254-ef20@4");
	assert.equal(item.entry, "e1");
	assert.deepEqual(item.pieces, ["a ␛[2J", "gate", ""]);
	assert.equal(item.path, session.path);
});

test("nothing found is an answer, a failure is told with its hint", async () => {
	const nothing = program("nothing", () => ({ text: { total: 0, hits: [], notes: ["occurs nowhere"] }, status: 1 }));
	assert.equal((await find(nothing, { query: "x", here: false, stale: true, limit: 5 }, dir)).note, "occurs nowhere");
	const fails = program("fails", () => ({ error: { error: { message: "open archive", hint: "index it" } }, status: 2 }));
	await assert.rejects(ask(fails, ["list"], dir), /open archive: index it/);
	await assert.rejects(ask(join(dir, "none"), [], dir), /not installed/);
});

test("the archive is waited for while it is built", async () => {
	const file = program("built", () => {
		const tries = require("fs").readFileSync(`${__filename}.calls`, "utf8").trim().split("\n").length;
		if (tries < 3) return { error: { error: { kind: "locked", message: "another run" } }, status: 75 };
		return { text: { sessions: [] } };
	});
	const wanted = { query: "", here: false, stale: false, limit: 5 };
	assert.equal((await findOnceBuilt(file, wanted, dir, new AbortController().signal, 1)).total, "0 sessions");
	assert.equal(calls(file).length, 3);
});

test("the latest question counts, all before it are aborted", async () => {
	const begun: AbortSignal[] = [];
	const release: (() => void)[] = [];
	const answers: unknown[] = [];
	const latest = new Latest(
		(signal) => {
			begun.push(signal);
			const n = begun.length;
			return new Promise((resolve) => release.push(() => resolve(n)));
		},
		(answer) => answers.push(answer),
	);
	latest.ask(0);
	latest.ask(0); // the first never begins
	await until(() => begun.length === 1);
	latest.ask(0);
	assert.ok(begun[0].aborted);
	await until(() => begun.length === 2);
	release[0]();
	release[1]();
	await until(() => answers.length > 0);
	assert.deepEqual(answers, [2]);
});

test("an aborted call ends its program", async () => {
	const file = program("slow", () => {
		setInterval(() => {}, 1000);
		return {};
	});
	const stop = new AbortController();
	const answer = ask(file, ["list"], dir, stop.signal);
	await until(() => existsSync(`${file}.calls`));
	stop.abort();
	await assert.rejects(answer, /aborted/);
});

test("the screen: a hit is chosen, a stale one is not, lines fit", async () => {
	const asked: [string, boolean][] = [];
	const item = { ...session, project: "/home/mira", title: "gate", reference: "4a369254@4", entry: "e1", when: "2026-01-28", kind: "user", pieces: ["x".repeat(50), "gate", "g".repeat(200)], before: ["b"], after: ["a"] };
	let choice: any = "none";
	const host = { tui: { requestRender() {} }, theme, indexing: () => true, done: (c: any) => (choice = c) };
	const search = async (query: string, here: boolean) => {
		asked.push([query, here]);
		return { items: [item, { ...item, reference: "4a369254@5" }], total: "2 hits", note: "" };
	};
	const finder = new Finder(kit as any, host as any, search, "ga", false);
	finder.handleInput("enter");
	assert.equal(choice, "none"); // nothing is there yet
	assert.match(finder.render(80).join("\n"), /being indexed/);
	await until(() => finder.render(80).join("\n").includes("2 hits everywhere"));
	assert.ok(finder.render(80).length <= 24 - 4);
	assert.match(finder.render(80).join("\n"), /> 2026-01-28  user      …x+gateg+/); // the match is on the screen
	for (const width of [20, 40, 80]) assert.ok(finder.render(width).every((line) => line.length <= width));
	finder.handleInput("t");
	finder.handleInput("enter");
	assert.equal(choice, "none"); // these hits answer another query
	finder.handleInput("tab");
	await until(() => finder.render(80).join("\n").includes("2 hits in this project") && asked.length === 2);
	assert.deepEqual(asked, [["ga", false], ["gat", true]]);
	finder.handleInput("down");
	finder.handleInput("ctrl+f");
	assert.equal(choice.action, "fork");
	assert.equal(choice.item.reference, "4a369254@5");
});

test("@session", async () => {
	assert.deepEqual(token("see @session:gate.crane"), { prefix: "@session:gate.crane", words: "gate crane" });
	assert.deepEqual(token("@session"), { prefix: "@session", words: "" });
	assert.deepEqual(token("@se"), { prefix: "@se" });
	for (const other of ["@", "@src", "@sessions.ts", "a@session", '@"session']) assert.equal(token(other)?.words, undefined, other);
	assert.equal(token("@sessions.ts"), undefined);

	const item: any = { id: "4a369254-ef20", title: 'the "gate"', when: "2026-01-28", project: "/p" };
	assert.equal(inserted(item), `piarchive session 4a369254-ef20 "the 'gate'"`);
	const current = {
		getSuggestions: async () => ({ prefix: "@se", items: [{ value: "@server.ts", label: "server.ts" }] }),
		applyCompletion: () => "theirs",
	};
	const list = async (words: string) => {
		if (words === "fails") throw new Error("no program");
		return { items: [item], total: "", note: "" };
	};
	const provider = completer(current, list);
	const some = await provider.getSuggestions(["@se"], 0, 3, {});
	assert.deepEqual(some.items.map((i: any) => i.value), ["@server.ts", "@session:"]);
	assert.equal(provider.applyCompletion(["@se"], 0, 3, some.items[0], "@se"), "theirs");
	const sessions = await provider.getSuggestions(["see @session:gate now"], 0, 17, {});
	const applied = provider.applyCompletion(["see @session:gate now"], 0, 17, sessions.items[0], sessions.prefix);
	assert.equal(applied.lines[0], `see ${inserted(item)}  now`);
	assert.equal(await provider.getSuggestions(["@session:fails"], 0, 14, {}), null);
});

/** A host that notes what is asked of it. */
function fakeContext(replaces: boolean) {
	const did: string[] = [];
	const context = (name: string): any => ({
		cwd: dir,
		ui: { notify: (text: string) => did.push(`${name} says ${text}`) },
		sessionManager: { getSessionFile: () => "/now.jsonl" },
		waitForIdle: async () => did.push(`${name} waits`),
		navigateTree: async (entry: string) => did.push(`${name} goes to ${entry}`),
		[replaces ? "fork" : "branch"]: () => {},
		switchSession: async (path: string, options: any) => {
			did.push(`${name} opens ${path}`);
			if (replaces) await options.withSession(context("new"));
			return { cancelled: false };
		},
	});
	return { did, context: context("old") };
}

test("a hit is opened by the context of the new session", async () => {
	const path = join(dir, "session.jsonl");
	writeFileSync(path, '{"type":"session","version":3}\n');
	const item = { path, entry: "e1", reference: "a@4" };
	for (const [replaces, name] of [[true, "new"], [false, "old"]] as const) {
		const { did, context } = fakeContext(replaces);
		await open(context, item);
		assert.deepEqual(did, ["old waits", `old opens ${path}`, `${name} goes to e1`]);
	}
	const { did, context } = fakeContext(true);
	context.sessionManager.getSessionFile = () => path;
	await open(context, item);
	assert.deepEqual(did, ["old waits", "old goes to e1"]);
});

test("no file is opened that pi would take for an empty one", async () => {
	const path = join(dir, "titled.jsonl");
	writeFileSync(path, '{"type":"title","title":"x"}\n{"type":"session"}\n');
	const { did, context } = fakeContext(true);
	await open(context, { path, reference: "a" });
	await open(context, { path: join(dir, "gone.jsonl"), reference: "b" });
	assert.match(did[0], /another program/);
	assert.match(did[1], /is gone/);
	assert.equal(did.length, 2);
});

test("a fork is opened at its end", async () => {
	const file = program("fork", (args) => ({ text: { made: [{ path: require("path").join(__dirname, "session.jsonl") }] } }));
	const { did, context } = fakeContext(true);
	await fork(context, file, { reference: "a@4", path: "/gone" } as any);
	assert.deepEqual(calls(file), [["fork", "--json", "--", "a@4"]]);
	assert.deepEqual(did.slice(-1), [`old opens ${join(dir, "session.jsonl")}`]);
});

/** A host of which an extension asks what it has. */
function fakePi(more: object) {
	const handlers: Record<string, any> = {};
	const commands: Record<string, any> = {};
	return { on: (name: string, f: any) => (handlers[name] = f), registerCommand: (name: string, c: any) => (commands[name] = c), handlers, commands, ...more };
}

test("without the program there is one hint, and nothing else", async () => {
	const servers: unknown[] = [];
	const pi: any = fakePi({ registerMcpServer: (...args: unknown[]) => servers.push(args) });
	extend(pi, kit as any, undefined, "");
	const said: string[] = [];
	const ctx = { hasUI: true, mode: "rpc", cwd: dir, ui: { notify: (text: string) => said.push(text) } };
	pi.handlers.session_start({ reason: "startup" }, ctx);
	pi.handlers.session_start({ reason: "resume" }, ctx);
	assert.equal(said.length, 1);
	await pi.commands.find.handler("gate", ctx);
	assert.match(said[1], /not installed/);
	assert.deepEqual(servers, []);
	assert.equal(findProgram({ PATH: dir }), undefined);
});

test("a session begins: the server is registered, the archive brought up to date, the start not held up", async () => {
	const servers: any[] = [];
	const file = program("piarchive", () => ({ text: {} }));
	assert.equal(findProgram({ PATH: `/nowhere:${dir}` }), file);
	const pi: any = fakePi({ registerMcpServer: (...args: unknown[]) => servers.push(args) });
	extend(pi, kit as any, undefined, file);
	assert.equal(servers[0][0], "piarchive");
	assert.deepEqual([servers[0][1].args, servers[0][1].toolExposure], [["mcp"], { search_sessions: "direct" }]);
	const shown: unknown[] = [];
	const result = pi.handlers.session_start({}, { hasUI: true, cwd: dir, ui: { setStatus: (...args: unknown[]) => shown.push(args) } });
	assert.equal(result, undefined); // no promise to wait for
	await until(() => shown.some((args: any) => args[1] === undefined));
	assert.deepEqual(calls(file), [["index", "--json", "--quiet"]]);
	const none: any = fakePi({}); // a host without MCP
	extend(none, kit as any, undefined, file);
	assert.ok(none.commands.find);
});

test("where there is no terminal, a list is chosen from", async () => {
	const file = program("listed", () => ({ text: { sessions: [{ path: "/gone.jsonl", id: "abc", messageCount: 2, firstMessage: "the \u001b[2Jgate" }] } }));
	const pi: any = fakePi({});
	extend(pi, kit as any, undefined, file);
	const said: string[] = [];
	let offered: string[] = [];
	const ui = { notify: (text: string) => said.push(text), select: async (_: string, names: string[]) => (offered = names)[0] };
	await pi.commands.find.handler("", { hasUI: true, mode: "rpc", cwd: dir, ui });
	assert.equal(offered[0], "1.  2 msg  the ␛[2Jgate  (abc)");
	assert.match(said[0], /abc is gone/);
});

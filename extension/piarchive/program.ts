// The program piarchive, and what of its JSON this extension reads.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** What a person chooses from: a hit of a search, or a session of a list. */
export interface Item {
	path: string;
	/** The id of the session, whole: a beginning may fit several. */
	id: string;
	/** What the tools and commands of piarchive take: SESSION or SESSION@LINE. */
	reference: string;
	/** The entry, where it has an id. */
	entry?: string;
	title: string;
	project: string;
	when: string;
	/** The kind of text of a hit: user, assistant, output, … */
	kind: string;
	/** The text found, in pieces of which every second one matched, or how the session begins. */
	pieces: string[];
	/** What stands before and behind, a line each. */
	before: string[];
	after: string[];
}

export interface Answer {
	items: Item[];
	/** How many there are in all. */
	total: string;
	/** What piarchive says about the answer. */
	note: string;
}

export const missing = "piarchive is not installed: npm install -g piarchive, or put the program in the PATH";

/**
 * Text of a session as a terminal may show it: without control characters, and without
 * what hides or reorders text.
 */
export function clean(text: unknown): string {
	return harmless(text).trim();
}

function harmless(text: unknown): string {
	return String(text ?? "")
		.replace(/\s+/g, " ")
		.replace(/[\u0000-\u001f\u007f-\u009f]/g, "␛")
		.replace(/[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu, "");
}

/**
 * Text without what changes how wide the sign before it is: terminals do not agree on
 * that, and a line that is too wide breaks the screen.
 */
export function even(text: string): string {
	return text
		.replace(/[\u{1f1e6}-\u{1f1ff}]/gu, (flag) => String.fromCharCode(flag.codePointAt(0)! - 0x1f1e6 + 65))
		.replace(/[\u{1f3fb}-\u{1f3ff}\ufe00-\ufe0f\u20e3]/gu, "");
}

/** The beginning of a text, as a line of the screen has it. */
function line(text: unknown): string {
	return even(clean(String(text ?? "").slice(0, 1000)));
}

/** Where the program lies: beside this package, as npm put it there, or in the PATH. */
export function findProgram(environment: Record<string, string | undefined> = process.env): string | undefined {
	const file = process.platform === "win32" ? "piarchive.exe" : "piarchive";
	try {
		return createRequire(import.meta.url).resolve(`piarchive-${process.platform}-${process.arch}/bin/${file}`);
	} catch {
		const places = (environment.PATH ?? environment.Path ?? "").split(delimiter).filter(Boolean);
		return places.map((place) => join(place, file)).find((path) => existsSync(path));
	}
}

/** Runs the program and reads its JSON. Exit status 1 is an answer: nothing found. */
export function ask(program: string, args: string[], cwd: string, signal?: AbortSignal): Promise<any> {
	return new Promise((resolve, reject) => {
		const options = { cwd, signal, maxBuffer: 64 << 20, windowsHide: true };
		execFile(program, args, options, (error: any, stdout, stderr) => {
			if (signal?.aborted) return reject(new Error("aborted"));
			if (error?.code === "ENOENT") return reject(new Error(existsSync(cwd) ? missing : `the directory ${clean(cwd)} is gone`));
			try {
				if (!error || error.code === 1) return resolve(stdout.trim() ? JSON.parse(stdout) : undefined);
			} catch {
				return reject(new Error("piarchive answered with what is no JSON"));
			}
			const { kind, message, hint } = failure(stderr);
			const said = message ? [message, hint].filter(Boolean).join(": ") : error.message;
			reject(Object.assign(new Error(clean(said)), { kind }));
		});
	});
}

function failure(stderr: string): { kind?: string; message?: string; hint?: string } {
	try {
		return JSON.parse(stderr).error;
	} catch {
		return {};
	}
}

export interface Wanted {
	query: string;
	/** Only sessions of the directory cwd. */
	here: boolean;
	/** Answer from the archive as it is. */
	stale: boolean;
	limit: number;
	/** Of a list: words of the sessions. */
	words?: string;
}

/** The command line that answers what was typed. */
export function commandLine({ query, here, stale, limit, words }: Wanted): string[] {
	const flags = ["--json", "-n", String(limit), ...(here ? ["--project", "."] : []), ...(stale ? ["--no-fresh"] : [])];
	if (query.trim() === "") return ["list", ...flags, ...(words ? ["--", words] : [])];
	return ["search", ...flags, "-C", "2", "--", typed(query)];
}

/** A query while it is typed: its last word is the beginning of one. */
export function typed(query: string): string {
	const word = /(?:^|\s)(\p{L}[\p{L}\p{N}_]+)$/u.exec(query)?.[1];
	const plain = word && !/["/]/.test(query) && !["AND", "OR", "NOT"].includes(word);
	return plain ? `${query}*` : query;
}

export async function find(program: string, wanted: Wanted, cwd: string, signal?: AbortSignal): Promise<Answer> {
	const document = await ask(program, commandLine(wanted), cwd, signal);
	if (document?.hits) {
		const { total, totalIsLowerBound, notes } = document;
		const all = total === 1 ? "1 hit" : `${total}${totalIsLowerBound ? "+" : ""} hits`;
		return { items: document.hits.map(ofHit), total: all, note: line(notes?.join("; ")) };
	}
	const items = (document?.sessions ?? []).map(ofSession);
	return { items, total: items.length < wanted.limit ? `${items.length} sessions` : `the latest ${items.length} sessions`, note: "" };
}

/** The same, but waits while another run builds the archive. */
export async function findOnceBuilt(program: string, wanted: Wanted, cwd: string, signal: AbortSignal, pause = 500): Promise<Answer> {
	for (;;) {
		try {
			return await find(program, wanted, cwd, signal);
		} catch (error) {
			if ((error as any).kind !== "locked") throw error;
			await setTimeout(pause, undefined, { signal });
		}
	}
}

function ofHit({ session, entry, where, snippet, ranges, before, after }: any): Item {
	const around = (e: any) => `${clean(e.role ?? e.type)}  ${line(e.preview)}`;
	return {
		...common(session),
		reference: `${clean(session.id)}@${entry.line}`,
		entry: entry.id ?? undefined,
		title: line(session.title ?? session.name),
		when: clean(entry.timestamp).slice(0, 10),
		kind: clean(where),
		pieces: pieces(snippet, ranges ?? []),
		before: (before ?? []).map(around),
		after: (after ?? []).map(around),
	};
}

/** Cuts a text where ranges of its bytes begin and end. */
function pieces(text: string, ranges: [number, number][]): string[] {
	const bytes = Buffer.from(text);
	const cuts = [0, ...ranges.flat(), bytes.length];
	return cuts.slice(1).map((end, i) => even(harmless(bytes.toString("utf8", cuts[i], end))));
}

function ofSession(session: any): Item {
	const messages = session.messageCount === 1 ? "1 message" : `${session.messageCount} messages`;
	const cost = typeof session.cost === "number" ? `, $${session.cost.toFixed(2)}` : "";
	return {
		...common(session),
		reference: clean(session.id),
		title: line(session.name ?? session.firstMessage),
		when: clean(session.modified ?? session.created).slice(0, 10),
		kind: `${session.messageCount} msg`,
		pieces: [line(session.firstMessage)],
		before: [],
		after: [messages + cost, clean(session.models?.join(", "))].filter(Boolean),
	};
}

function common(session: any) {
	return { path: String(session.path ?? ""), id: clean(session.id), project: line(session.cwd) };
}

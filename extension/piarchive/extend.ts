// What the extension adds to its host, by what the host can do.
import { completer } from "./complete.ts";
import { type Choice, Finder, short, type Toolkit } from "./finder.ts";
import { fork, open } from "./open.ts";
import { ask, clean, find, findOnceBuilt, findProgram, type Item, missing } from "./program.ts";

const limit = 50;

export function extend(pi: any, kit: Toolkit, copyToClipboard?: (text: string) => unknown, program = findProgram()): void {
	if (program && typeof pi.registerMcpServer === "function") {
		try {
			pi.registerMcpServer("piarchive", {
				command: program,
				args: ["mcp"],
				description: "Searches and reads past sessions of coding agents, of every project",
				exposure: "codemode",
				toolExposure: { search_sessions: "direct" },
			});
		} catch {
			// the name is taken: a server that somebody has set up counts
		}
	}

	let indexing: Indexing | undefined;
	pi.on("session_start", (event: any, ctx: any) => {
		if (!ctx.hasUI) return;
		if (!program) {
			if (!event?.reason || event.reason === "startup") ctx.ui.notify(missing, "warning");
			return;
		}
		const { cwd } = ctx; // ctx is stale after a switch, and the prompt may outlive it
		ctx.ui.addAutocompleteProvider?.((current: any) =>
			completer(current, (words, signal) => find(program, { query: "", here: false, stale: true, limit: 20, words }, cwd, signal)),
		);
		indexing = { stop: new AbortController(), slow: false };
		void index(program, ctx, indexing);
	});
	pi.on("session_shutdown", () => indexing?.stop.abort());

	pi.registerCommand("find", {
		description: "Find anything in past sessions, and go there",
		handler: async (args: string, ctx: any) => {
			if (!program) return ctx.ui.notify(missing, "error");
			const query = clean(args);
			try {
				const inTerminal = ctx.mode ? ctx.mode === "tui" : process.stdout.isTTY;
				const choice = inTerminal
					? await onScreen(ctx, kit, program, query, () => indexing?.slow ?? false)
					: await fromList(ctx, program, query);
				if (choice) await follow(choice, ctx, program, copyToClipboard);
			} catch (error) {
				complain(ctx, error as Error);
			}
		},
	});
}

interface Indexing {
	stop: AbortController;
	slow: boolean;
}

/** Brings the archive up to date; a line says so when it takes its time. */
async function index(program: string, ctx: any, run: Indexing): Promise<void> {
	const { signal } = run.stop;
	const show = (slow: boolean) => {
		run.slow = slow;
		if (!signal.aborted) ctx.ui.setStatus?.("piarchive", slow ? "piarchive: indexing sessions …" : undefined);
	};
	const timer = setTimeout(show, 300, true);
	await ask(program, ["index", "--json", "--quiet"], ctx.cwd, signal).catch(() => {}); // the next question says what is wrong
	clearTimeout(timer);
	show(false);
}

function onScreen(
	ctx: any,
	kit: Toolkit,
	program: string,
	query: string,
	indexing: () => boolean,
): Promise<Choice | undefined> {
	let stale = false; // the first answer is up to date, those while typing are quick
	const search = async (query: string, here: boolean, signal: AbortSignal) => {
		const answer = await findOnceBuilt(program, { query, here, stale, limit }, ctx.cwd, signal);
		stale = true;
		return answer;
	};
	return ctx.ui.custom((tui: any, theme: any, keybindings: any, done: (choice: Choice | undefined) => void) => {
		return new Finder(kit, { tui, theme, keybindings, indexing, done }, search, query, query === "");
	});
}

async function fromList(ctx: any, program: string, query: string): Promise<Choice | undefined> {
	if (!ctx.hasUI) return undefined;
	const { items, note } = await find(program, { query, here: query === "", stale: false, limit }, ctx.cwd);
	if (items.length === 0) {
		ctx.ui.notify(note || "piarchive found nothing", "info");
		return undefined;
	}
	const text = (item: Item) => item.pieces.join("") || item.title;
	const name = (item: Item, i: number) => `${i + 1}. ${item.when} ${item.kind}  ${text(item)}  (${short(item.reference)})`;
	const names = items.map(name);
	const chosen = names.indexOf(await ctx.ui.select("Open a past session", names));
	return chosen < 0 ? undefined : { item: items[chosen], action: "open" };
}

async function follow({ item, action }: Choice, ctx: any, program: string, copyToClipboard?: (text: string) => unknown): Promise<void> {
	if (action === "open") return open(ctx, item);
	if (action === "fork") return fork(ctx, program, item);
	if (!copyToClipboard) return ctx.ui.pasteToEditor(item.reference);
	await copyToClipboard(item.reference);
	ctx.ui.notify(`copied ${item.reference}`, "info");
}

function complain(ctx: any, error: Error): void {
	try {
		ctx.ui.notify(`find: ${clean(error.message)}`, "error");
	} catch {
		// the session was replaced meanwhile, and with it the place to say so
	}
}

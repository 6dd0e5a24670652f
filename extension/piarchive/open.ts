// Goes to an entry: switches to its session, and there to the entry.
import { closeSync, openSync, readSync } from "node:fs";

import { ask, clean, type Item } from "./program.ts";

/** Goes to an item; ctx is that of a command, of pi or omp. */
export async function open(ctx: any, item: Pick<Item, "path" | "entry" | "reference">): Promise<void> {
	const problem = unfit(ctx, item);
	if (problem) return ctx.ui.notify(problem, "warning");
	await ctx.waitForIdle?.();
	if (ctx.sessionManager.getSessionFile?.() === item.path) return navigate(ctx, item);
	let replaced = false;
	const result = await ctx.switchSession(item.path, {
		// After the switch ctx is stale: only the new one counts.
		withSession: async (next: any) => {
			replaced = true;
			await navigate(next, item);
		},
	});
	// omp knows no withSession: its context goes on with the new session.
	if (!replaced && !result?.cancelled) await navigate(ctx, item);
}

async function navigate(ctx: any, { entry, reference }: Pick<Item, "entry" | "reference">): Promise<void> {
	if (!entry) return;
	try {
		await ctx.navigateTree(entry, { summarize: false });
	} catch (error) {
		ctx.ui.notify(`opened, but not at ${clean(reference)}: ${clean((error as Error).message)}`, "warning");
	}
}

/** Begins a session that ends at the item, and goes there. */
export async function fork(ctx: any, program: string, item: Item): Promise<void> {
	await ctx.waitForIdle?.();
	const document = await ask(program, ["fork", "--json", "--", item.reference], ctx.cwd);
	await open(ctx, { path: document.made[0].path, reference: item.reference });
}

/**
 * Says why this host had better not open the file. pi takes a file that does not begin
 * with a header for an empty session, and would write a new one over it.
 */
function unfit(ctx: any, { path, reference }: Pick<Item, "path" | "reference">): string | undefined {
	let line: string;
	try {
		line = firstLine(path);
	} catch {
		return `the file of session ${clean(reference)} is gone: piarchive restore writes it back, ctrl-f begins a new one`;
	}
	const isOmp = typeof ctx.branch === "function" && typeof ctx.fork !== "function";
	if (isOmp || /^\s*\{.*"type"\s*:\s*"session"/.test(line)) return undefined;
	return `session ${clean(reference)} is of another program: piarchive resume tells the command that goes on with it`;
}

function firstLine(path: string): string {
	const file = openSync(path, "r");
	try {
		const buffer = Buffer.alloc(64 << 10);
		return buffer.toString("utf8", 0, readSync(file, buffer)).split("\n", 1)[0];
	} finally {
		closeSync(file);
	}
}

// @session in the prompt: past sessions, put there so that the model can open them.
import { type Answer, type Item } from "./program.ts";
import { short } from "./finder.ts";

const trigger = "@session";

export type List = (words: string, signal: AbortSignal) => Promise<Answer>;

/** What is typed of @session:WORDS before the cursor; dots stand for spaces. */
export function token(before: string): { prefix: string; words?: string } | undefined {
	const prefix = /(?:^|[\s(])(@[^\s"@]*)$/.exec(before)?.[1];
	if (!prefix) return undefined;
	if (prefix.startsWith(trigger)) {
		const words = prefix.slice(trigger.length);
		return words === "" || words.startsWith(":") ? { prefix, words: words.slice(1).replaceAll(".", " ") } : undefined;
	}
	return prefix.length > 1 && trigger.startsWith(prefix) ? { prefix } : undefined;
}

/** What stands in the prompt for a session: its id for the tools, its title for people. */
export function inserted(item: Item): string {
	const title = item.title.replaceAll('"', "'");
	return `piarchive session ${item.id} "${title.length > 60 ? `${title.slice(0, 59)}…` : title}"`;
}

/** Adds sessions to what the host completes. */
export function completer(current: any, list: List): any {
	return {
		...(current.triggerCharacters ? { triggerCharacters: current.triggerCharacters } : {}),

		async getSuggestions(lines: string[], line: number, column: number, options: any) {
			const typed = token((lines[line] ?? "").slice(0, column));
			if (typed?.words === undefined) {
				const others = await current.getSuggestions(lines, line, column, options);
				if (!typed || (others && others.prefix !== typed.prefix)) return others;
				const ours = { value: `${trigger}:`, label: trigger, description: "past sessions" };
				return { prefix: typed.prefix, items: [...(others?.items ?? []), ours] };
			}
			try {
				const { items } = await list(typed.words, options?.signal);
				if (items.length === 0) return null;
				return { prefix: typed.prefix, items: items.map(offer) };
			} catch {
				return null; // aborted, or no program: /find says so
			}
		},

		applyCompletion(lines: string[], line: number, column: number, item: any, prefix: string) {
			if (item.value !== `${trigger}:` && !item.session) return current.applyCompletion(lines, line, column, item, prefix);
			const text = lines[line] ?? "";
			const start = text.slice(0, column - prefix.length) + item.value + (item.session ? " " : "");
			return { lines: lines.with(line, start + text.slice(column)), cursorLine: line, cursorCol: start.length };
		},

		shouldTriggerFileCompletion(lines: string[], line: number, column: number) {
			return current.shouldTriggerFileCompletion?.(lines, line, column) ?? true;
		},
	};
}

function offer(item: Item) {
	return { value: inserted(item), label: item.title || short(item.reference), description: `${item.when} ${item.project}`, session: item.id };
}

// The screen of /find: a query, what was found, and what stands around it.
import { Latest } from "./latest.ts";
import { type Answer, clean, type Item } from "./program.ts";

export type Choice = { item: Item; action: "open" | "fork" | "copy" };

/** What the screen takes from the host's terminal library. */
export interface Toolkit {
	Input: new () => any;
	matchesKey(data: string, key: string): boolean;
	truncateToWidth(text: string, width: number): string;
	visibleWidth(text: string): number;
	wrapTextWithAnsi(text: string, width: number): string[];
}

export interface Host {
	tui: { requestRender(): void; terminal?: { rows?: number } };
	theme: { fg(colour: string, text: string): string; bold(text: string): string };
	keybindings?: { matches(data: string, action: string): boolean };
	/** Whether the sessions are being indexed: there may be no archive before. */
	indexing?(): boolean;
	done(choice: Choice | undefined): void;
}

export type Search = (query: string, here: boolean, signal: AbortSignal) => Promise<Answer>;

const pause = 60; // milliseconds between two keys of somebody who types

export class Finder {
	private readonly input: any;
	private readonly latest: Latest<Answer>;
	private answer: Answer | undefined;
	private problem = "";
	private busy = true;
	private selected = 0;
	private top = 0;
	private readonly kit: Toolkit;
	private readonly host: Host;
	private here: boolean;

	constructor(kit: Toolkit, host: Host, search: Search, query: string, here: boolean) {
		this.kit = kit;
		this.host = host;
		this.here = here;
		this.input = new kit.Input();
		this.input.focused = true;
		for (const letter of query) this.input.handleInput(letter); // leaves the cursor at the end
		this.latest = new Latest(
			(signal) => search(this.query(), this.here, signal),
			(answer, error) => this.show(answer, error),
		);
		this.latest.ask(0);
	}

	get focused(): boolean {
		return this.input.focused;
	}

	set focused(focused: boolean) {
		this.input.focused = focused;
	}

	invalidate(): void {
		this.input.invalidate?.();
	}

	dispose(): void {
		this.latest.stop();
	}

	private query(): string {
		return clean(this.input.getValue());
	}

	private show(answer: Answer | undefined, error?: Error): void {
		this.busy = false;
		this.problem = error ? clean(error.message) : "";
		if (answer) {
			this.answer = answer;
			this.selected = this.top = 0;
		}
		this.host.tui.requestRender();
	}

	handleInput(data: string): void {
		const items = this.answer?.items ?? [];
		const step = this.step(data);
		if (step !== undefined) {
			this.selected = Math.max(0, Math.min(items.length - 1, this.selected + step));
		} else if (this.is(data, "tui.select.cancel", "escape") || this.kit.matchesKey(data, "ctrl+c")) {
			return this.leave(undefined);
		} else if (this.is(data, "tui.select.confirm", "enter")) {
			return this.choose("open");
		} else if (this.kit.matchesKey(data, "ctrl+f")) {
			return this.choose("fork");
		} else if (this.kit.matchesKey(data, "ctrl+y")) {
			return this.choose("copy");
		} else if (this.kit.matchesKey(data, "tab")) {
			this.here = !this.here;
			this.ask(0);
		} else {
			const was = this.query();
			this.input.handleInput(data);
			if (this.query() !== was) this.ask(pause);
		}
		this.host.tui.requestRender();
	}

	private ask(wait: number): void {
		this.busy = true;
		this.latest.ask(wait);
	}

	private is(data: string, action: string, key: string): boolean {
		return this.host.keybindings?.matches(data, action) ?? this.kit.matchesKey(data, key);
	}

	private step(data: string): number | undefined {
		if (this.is(data, "tui.select.up", "up") || this.kit.matchesKey(data, "ctrl+p")) return -1;
		if (this.is(data, "tui.select.down", "down") || this.kit.matchesKey(data, "ctrl+n")) return 1;
		if (this.is(data, "tui.select.pageUp", "pageUp")) return -this.sizes().list;
		if (this.is(data, "tui.select.pageDown", "pageDown")) return this.sizes().list;
		return undefined;
	}

	private choose(action: Choice["action"]): void {
		// What is on the screen while a new query is on its way answers another.
		const item = this.busy ? undefined : this.answer?.items[this.selected];
		if (item) this.leave({ item, action });
	}

	private leave(choice: Choice | undefined): void {
		this.latest.stop();
		this.host.done(choice);
	}

	/** How many lines the list and the preview have. */
	private sizes(): { list: number; preview: number } {
		const room = Math.max(4, Math.min(24, (this.host.tui.terminal?.rows ?? 24) - 9));
		const preview = Math.max(2, Math.floor(room * 0.4));
		return { list: room - preview, preview };
	}

	render(width: number): string[] {
		const { theme } = this.host;
		const { list, preview } = this.sizes();
		const items = this.answer?.items ?? [];
		this.top = Math.max(Math.min(this.top, this.selected), this.selected - list + 1, 0);
		const lines = [theme.fg("border", "─".repeat(width)), ...this.input.render(width), theme.fg("dim", this.state())];
		for (let i = 0; i < list; i++) {
			const at = this.top + i;
			lines.push(at < items.length ? this.row(items[at], at === this.selected, width) : "");
		}
		lines.push(theme.fg("border", "─".repeat(width)));
		const shown = this.preview(items[this.selected], preview, width);
		for (let i = 0; i < preview; i++) lines.push(shown[i] ?? "");
		lines.push(theme.fg("dim", "enter open · ^f fork · ^y copy · tab here/everywhere · esc leave"));
		return lines.map((line) => this.kit.truncateToWidth(line, width));
	}

	private state(): string {
		const where = this.here ? "in this project" : "everywhere";
		if (this.problem) return this.problem;
		if (!this.answer) return `${this.host.indexing?.() ? "the sessions are being indexed; then " : ""}looking ${where} …`;
		const elsewhere = this.here && this.answer.items.length === 0 ? "tab looks everywhere" : "";
		const said = [`${this.answer.total} ${where}`, this.answer.note, elsewhere].filter(Boolean).join(" · ");
		return this.busy ? `${said} …` : said;
	}

	private row(item: Item, selected: boolean, width: number): string {
		const { theme } = this.host;
		const left = `${selected ? "> " : "  "}${item.when}  ${item.kind.padEnd(9)} `;
		const room = width - this.kit.visibleWidth(left);
		const isHit = item.reference.includes("@");
		const text = isHit ? `${this.marked(item.pieces, room)}  ${theme.fg("dim", item.title)}` : item.title;
		return (selected ? theme.fg("accent", left) : theme.fg("muted", left)) + this.kit.truncateToWidth(text, Math.max(1, room));
	}

	/** A text with what matched marked, and the first match where so many cells show it. */
	private marked([first, ...rest]: string[], room: number): string {
		const { theme } = this.host;
		const letters = [...first];
		const start = rest.length > 0 && letters.length > room / 2 ? `…${letters.slice(-room / 4).join("")}` : first;
		return start + rest.map((piece, i) => (i % 2 === 0 ? theme.bold(theme.fg("accent", piece)) : piece)).join("");
	}

	private preview(item: Item | undefined, lines: number, width: number): string[] {
		if (!item) return [];
		const { theme } = this.host;
		const head = theme.fg("dim", `${short(item.reference)}  ${item.project}`);
		const texts = this.kit.wrapTextWithAnsi(this.marked(item.pieces, Infinity), width).slice(0, Math.max(1, lines - 3));
		const around = lines - 1 - texts.length;
		const before = item.before.slice(-Math.floor(around / 2)).map((line) => theme.fg("muted", line));
		const after = item.after.map((line) => theme.fg("muted", line));
		return [head, ...(around > 1 ? before : []), ...texts, ...after];
	}
}

/** A reference as it is shown: the id of a session is long. */
export function short(reference: string): string {
	const [id, line] = reference.split("@");
	return line ? `${id.slice(0, 8)}@${line}` : id.slice(0, 8);
}

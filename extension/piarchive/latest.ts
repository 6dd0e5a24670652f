// One question at a time: what is asked last is answered, all before it is aborted.

export class Latest<T> {
	private timer?: ReturnType<typeof setTimeout>;
	private running?: AbortController;
	private readonly answer: (signal: AbortSignal) => Promise<T>;
	private readonly done: (result: T | undefined, error?: Error) => void;

	constructor(answer: (signal: AbortSignal) => Promise<T>, done: (result: T | undefined, error?: Error) => void) {
		this.answer = answer;
		this.done = done;
	}

	/** Asks after a pause, in which the next key may come. */
	ask(pause: number): void {
		this.stop();
		this.timer = setTimeout(() => this.run(), pause);
	}

	/** Nothing is answered any more. */
	stop(): void {
		clearTimeout(this.timer);
		this.running?.abort();
		this.running = undefined;
	}

	private async run(): Promise<void> {
		const running = new AbortController();
		this.running = running;
		try {
			const result = await this.answer(running.signal);
			if (!running.signal.aborted) this.done(result);
		} catch (error) {
			if (!running.signal.aborted) this.done(undefined, error as Error);
		}
	}
}

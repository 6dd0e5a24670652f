// Drives the session manager of a release of pi: reads one request a line, and
// answers each with one line. The argument is the file of pi's library.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { SessionManager } = await import(pathToFileURL(process.argv[2]).href);

// script runs operations on a new session, and returns the files that it made.
// What an operation appended is named by its position.
function script({ cwd, dir, id, operations }) {
	const m = SessionManager.create(cwd, dir, id ? { id } : undefined);
	const files = [m.getSessionFile()];
	const ids = [];
	const at = (n) => (n === null || n === undefined ? n : ids[n]);
	for (const o of operations) {
		switch (o.op) {
			case "message": ids.push(m.appendMessage(o.message)); break;
			case "thinking": ids.push(m.appendThinkingLevelChange(o.text)); break;
			case "model": ids.push(m.appendModelChange(o.provider, o.text)); break;
			case "usage": ids.push(m.appendUsage(o.text, o.provider, "m", o.usage, o.note).id); break;
			case "compaction": ids.push(m.appendCompaction(o.text, at(o.target), o.tokens, o.data, o.flag)); break;
			case "custom": ids.push(m.appendCustomEntry(o.text, o.data)); break;
			case "custom_message": ids.push(m.appendCustomMessageEntry(o.text, o.content, o.flag, o.data)); break;
			case "name": ids.push(m.appendSessionInfo(o.text)); break;
			case "label": ids.push(m.appendLabelChange(at(o.target), o.text || undefined)); break;
			case "edit": ids.push(m.appendContextEdit(at(o.target), o.content === undefined ? null : { content: o.content })); break;
			case "branch": m.branch(at(o.target)); ids.push(null); break;
			case "reset": m.resetLeaf(); ids.push(null); break;
			case "summary": ids.push(m.branchWithSummary(at(o.target) ?? null, o.text, o.data, o.flag)); break;
			case "fork": files.push(m.createBranchedSession(at(o.target))); ids.push(null); break;
			default: throw new Error(`no operation ${o.op}`);
		}
	}
	return { files, leaf: m.getLeafId() };
}

// read is what the manager says of a file.
function read({ file }) {
	const m = SessionManager.open(file);
	const tree = (nodes) => nodes.map((n) => ({ id: n.entry.id, label: n.label ?? "", children: tree(n.children) }));
	const labels = {};
	for (const e of m.getEntries()) if (m.getLabel(e.id)) labels[e.id] = m.getLabel(e.id);
	return {
		id: m.getSessionId(), cwd: m.getCwd(), name: m.getSessionName() ?? "", leaf: m.getLeafId() ?? "",
		entries: m.getEntries().map((e) => e.id), branch: m.getBranch().map((e) => e.id),
		tree: tree(m.getTree()), labels, context: m.buildSessionContext(), parent: m.getHeader().parentSession ?? "",
	};
}

const requests = {
	script,
	read,
	list: async () => await SessionManager.listAll(),
	recent: ({ cwd, dir }) => SessionManager.continueRecent(cwd, dir).getSessionFile(),
	copy: ({ file, cwd, dir }) => SessionManager.forkFrom(file, cwd, dir).getSessionFile(),
	methods: () => [...Object.getOwnPropertyNames(SessionManager), ...Object.getOwnPropertyNames(SessionManager.prototype)],
	append: ({ file, operations }) => {
		const m = SessionManager.open(file);
		for (const o of operations) m.appendMessage(o.message);
	},
};
for await (const line of createInterface({ input: process.stdin })) {
	const request = JSON.parse(line);
	let answer;
	try {
		answer = { value: (await requests[request.request](request)) ?? null };
	} catch (error) {
		answer = { error: String(error?.message ?? error) };
	}
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}

#!/usr/bin/env node
// Runs the program that came with this package for this platform.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const platform = `${process.platform}-${process.arch}`;
let program;
try {
	const file = process.platform === "win32" ? "piarchive.exe" : "piarchive";
	program = createRequire(import.meta.url).resolve(`piarchive-${platform}/bin/${file}`);
} catch {
	console.error(`piarchive: run: the package piarchive-${platform} is not installed; install piarchive with its optional dependencies`);
	process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
	console.error(`piarchive: run ${program}: ${error.message}`);
	process.exitCode = 2;
});
// The program decides how it ends: this process stays until then.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
	process.on(signal, () => {
		if (signal !== "SIGINT") child.kill(signal); // the terminal sends SIGINT to both
	});
}
child.on("exit", (status, signal) => {
	if (signal) {
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	} else {
		process.exitCode = status ?? 2;
	}
});

// piarchive in pi and its relatives: /find, @session, and the MCP server.
import * as host from "@earendil-works/pi-coding-agent";
import * as kit from "@earendil-works/pi-tui";

import { type Toolkit } from "./finder.ts";
import { extend } from "./extend.ts";

export default function (pi: any): void {
	extend(pi, kit as unknown as Toolkit, (host as any).copyToClipboard);
}

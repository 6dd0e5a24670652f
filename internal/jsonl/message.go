package jsonl

// decodeMessage reads the payload of a message entry. pi drops a session from
// its list when the payload, or the content of a user or assistant message, is
// null or of a kind it does not expect; here only the flag remembers that.
func (e *Entry) decodeMessage(f value) {
	if f.IsNull() {
		e.Flags |= HidesInPi
		return
	}
	e.Role = scalar(f.Get("role"))
	content := f.Get("content")
	e.Provider, e.Model = f.Get("provider").Str(), f.Get("model").Str()
	e.list(f)

	switch e.Role {
	case "user":
		e.Text.User = lines(e.contentText(content), e.attachmentText(f.Get("attachments")))
	case "developer":
		e.omp = true
		e.Text.User = e.contentText(content)
	case "assistant":
		e.decodeAssistant(f)
	case "toolResult":
		e.decodeToolResult(f)
	case "system":
		e.Text.Notes = lines(e.contentText(content), sectionText(f.Get("sections")))
	case "bashExecution":
		e.decodeExecution("bash", f.Get("command"), f)
	case "pythonExecution":
		e.omp = true
		e.decodeExecution("python", f.Get("code"), f)
	case "fileMention":
		e.omp = true
		e.decodeMention(f.Get("files"))
	case "branchSummary", "compactionSummary":
		e.Text.Notes = f.Get("summary").Str()
	default: // custom, hookMessage, roles nobody knows
		if e.Custom == "" {
			e.Custom = f.Get("customType").Str()
		}
		e.Text.Notes = e.contentText(content)
		if e.Text.Notes == "" && e.Role != "custom" && e.Role != "hookMessage" {
			e.Text.Notes = unknownText(f)
		}
	}
}

// list fills in what the session list takes from a message.
func (e *Entry) list(f value) {
	content, present := f.Look("content")
	if !present || e.Role != "user" && e.Role != "assistant" {
		return
	}
	text, ok := listingText(content)
	if !ok {
		e.Flags |= HidesInPi
	}
	e.Listing.Talk, e.Listing.Text = true, text
	switch t := f.Get("timestamp"); {
	case t.IsNumber():
		e.Listing.Activity, e.Listing.Active = t.Num(), true
	case e.TimeOK:
		e.Listing.Activity, e.Listing.Active = float64(e.Time), true
	}
}

// decodeAssistant sorts the blocks of an assistant message by kind of text.
func (e *Entry) decodeAssistant(f value) {
	content := f.Get("content")
	if content.IsString() {
		e.Text.Assistant = content.Str()
	}
	var said, thought, called []string
	for b := range content.Items() {
		switch b.Get("type").Str() {
		case "text":
			said = append(said, b.Get("text").Str())
		case "thinking":
			e.Flags |= HasThinking
			thought = append(thought, b.Get("thinking").Str())
		case "redactedThinking":
			e.Flags |= HasThinking
		case "image":
			e.image(b.Get("data"))
		case "toolCall":
			e.Flags |= HasToolCall
			call := newToolCall(b)
			e.Calls = append(e.Calls, call)
			e.touchCall(call.Name, b.Get("arguments"))
			called = append(called, lines(call.Name, argumentText(b.Get("arguments"))))
		}
	}
	e.Text.Assistant = lines(append([]string{e.Text.Assistant}, said...)...)
	e.Text.Thinking = lines(thought...)
	e.Text.Call = lines(called...)

	e.StopReason = f.Get("stopReason").Str()
	switch e.StopReason {
	case "error":
		e.Flags |= IsError
	case "aborted":
		e.Flags |= IsAborted
	}
	if m := f.Get("errorMessage").Str(); m != "" {
		e.Text.Notes = m
	}
	e.usage("assistant", f.Get("usage"))
}

func (e *Entry) decodeToolResult(f value) {
	e.Tool = f.Get("toolName").Str()
	details := f.Get("details")
	shown := e.contentText(f.Get("content"))
	e.Text.Output = lines(shown, detailText(details, detailKeys, shown))
	r := &ToolResult{CallID: f.Get("toolCallId").Str(), Name: e.Tool, Flagged: f.Get("isError").IsTrue()}
	r.decodeDetails(details)
	r.Truncated = r.Truncated || truncated(e.Text.Output)
	if r.IsError {
		e.Flags |= IsError
	}
	e.Result = r
	e.usage("toolResult", f.Get("usage"))
	if e.Tool == "task" {
		e.taskUsage(details)
	}
}

// taskUsage adds what subagents used, as omp's task tool tells it: for each of
// them, or where it does not say that, all in one. The sum of the first is the
// second.
func (e *Entry) taskUsage(details value) {
	var ids []string
	before := len(e.Usages)
	for f := range details.Get("results").Items() {
		id := f.Get("id").Str()
		n := len(e.Usages)
		if e.usage("task", f.Get("usage")); len(e.Usages) > n && id != "" {
			e.Usages[n].Tasks = []string{id}
			e.Usages[n].Provider, e.Usages[n].Model = splitModel(f.Get("resolvedModel").Str())
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	if len(e.Usages) > before {
		return
	}
	if e.usage("task", details.Get("usage")); len(e.Usages) > before {
		e.Usages[before].Tasks = ids
	}
}

// decodeExecution reads a command the user ran himself: call and result in one.
func (e *Entry) decodeExecution(tool string, command value, f value) {
	e.Tool = tool
	e.Text.Call, e.Text.Output = command.Str(), f.Get("output").Str()
	r := &ToolResult{Name: tool, ByUser: true}
	r.exit(f.Get("exitCode"))
	r.Truncated = f.Get("truncated").IsTrue() || truncated(e.Text.Output)
	if f.Get("cancelled").IsTrue() {
		e.Flags |= IsAborted
	}
	if r.HasExit && r.Exit != 0 {
		r.IsError = true
		e.Flags |= IsError
	}
	e.Result = r
}

// decodeMention reads files that omp pasted into the conversation.
func (e *Entry) decodeMention(files value) {
	var paths, texts []string
	for f := range files.Items() {
		path := f.Get("path").Str()
		paths = append(paths, path)
		texts = append(texts, f.Get("content").Str())
		e.touch("mention", path)
		if image := f.Get("image"); !image.IsNull() {
			e.image(image.Get("data"))
		}
	}
	e.Text.Call, e.Text.Output = lines(paths...), lines(texts...)
}

// attachmentText is the text of files attached to a user message by pi up to 0.30.
func (e *Entry) attachmentText(attachments value) string {
	var parts []string
	for f := range attachments.Items() {
		if f.Get("type").Str() == "image" {
			e.image(f.Get("content"))
		}
		parts = append(parts, f.Get("fileName").Str(), f.Get("extractedText").Str())
	}
	return lines(parts...)
}

// sectionText is the text of the named sections of a system prompt.
func sectionText(sections value) string {
	var parts []string
	for _, v := range sections.Members() {
		parts = append(parts, v.Str())
	}
	return lines(parts...)
}

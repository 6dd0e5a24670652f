package jsonl

// decodeMessage reads the payload of a message entry. pi drops a session from
// its list when the payload, or the content of a user or assistant message, is
// null or of a kind it does not expect; here only the flag remembers that.
func (e *Entry) decodeMessage(message value) {
	if !message.Exists() || isNull(message) {
		e.Flags |= HidesInPi
		return
	}
	f := members(message)
	e.Role = scalar(f.get("role"))
	content := f.get("content")
	e.Provider, e.Model = f.str("provider"), f.str("model")
	e.list(f)

	switch e.Role {
	case "user":
		e.Text.User = lines(e.contentText(content), e.attachmentText(f.get("attachments")))
	case "developer":
		e.omp = true
		e.Text.User = e.contentText(content)
	case "assistant":
		e.decodeAssistant(f)
	case "toolResult":
		e.decodeToolResult(f)
	case "system":
		e.Text.Notes = lines(e.contentText(content), sectionText(f.get("sections")))
	case "bashExecution":
		e.decodeExecution("bash", f.get("command"), f)
	case "pythonExecution":
		e.omp = true
		e.decodeExecution("python", f.get("code"), f)
	case "fileMention":
		e.omp = true
		e.decodeMention(f.get("files"))
	case "branchSummary", "compactionSummary":
		e.Text.Notes = f.str("summary")
	default: // custom, hookMessage, roles nobody knows
		if e.Custom == "" {
			e.Custom = f.str("customType")
		}
		e.Text.Notes = e.contentText(content)
		if e.Text.Notes == "" && e.Role != "custom" && e.Role != "hookMessage" {
			e.Text.Notes = unknownText(message)
		}
	}
}

// list fills in what the session list takes from a message.
func (e *Entry) list(f fields) {
	content, present := f.look("content")
	if !present || e.Role != "user" && e.Role != "assistant" {
		return
	}
	text, ok := listingText(content)
	if !ok {
		e.Flags |= HidesInPi
	}
	e.Listing.Talk, e.Listing.Text = true, text
	switch t := f.get("timestamp"); {
	case isNumber(t):
		e.Listing.Activity, e.Listing.Active = t.Num, true
	case e.TimeOK:
		e.Listing.Activity, e.Listing.Active = float64(e.Time), true
	}
}

// decodeAssistant sorts the blocks of an assistant message by kind of text.
func (e *Entry) decodeAssistant(f fields) {
	content := f.get("content")
	if isString(content) {
		e.Text.Assistant = str(content)
	}
	var said, thought, called []string
	items(content, func(block value) {
		b := members(block)
		switch b.str("type") {
		case "text":
			said = append(said, b.str("text"))
		case "thinking":
			e.Flags |= HasThinking
			thought = append(thought, b.str("thinking"))
		case "redactedThinking":
			e.Flags |= HasThinking
		case "image":
			e.image(b.get("data"))
		case "toolCall":
			e.Flags |= HasToolCall
			call := newToolCall(b)
			e.Calls = append(e.Calls, call)
			e.touchCall(call.Name, b.get("arguments"))
			called = append(called, lines(call.Name, argumentText(b.get("arguments"))))
		}
	})
	e.Text.Assistant = lines(append([]string{e.Text.Assistant}, said...)...)
	e.Text.Thinking = lines(thought...)
	e.Text.Call = lines(called...)

	e.StopReason = f.str("stopReason")
	switch e.StopReason {
	case "error":
		e.Flags |= IsError
	case "aborted":
		e.Flags |= IsAborted
	}
	if m := f.str("errorMessage"); m != "" {
		e.Text.Notes = m
	}
	e.usage("assistant", f.get("usage"))
}

func (e *Entry) decodeToolResult(f fields) {
	e.Tool = f.str("toolName")
	details := members(f.get("details"))
	shown := e.contentText(f.get("content"))
	e.Text.Output = lines(shown, detailText(details, append([]string{changeKey}, outputKeys...), shown))
	r := &ToolResult{CallID: f.str("toolCallId"), Name: e.Tool, Flagged: isTrue(f.get("isError"))}
	r.decodeDetails(details)
	r.Truncated = r.Truncated || truncated(e.Text.Output)
	if r.IsError {
		e.Flags |= IsError
	}
	e.Result = r
	e.usage("toolResult", f.get("usage"))
	if e.Tool == "task" {
		e.taskUsage(details)
	}
}

// taskUsage adds what subagents used, as omp's task tool tells it: for each of
// them, or where it does not say that, all in one. The sum of the first is the
// second.
func (e *Entry) taskUsage(details fields) {
	var ids []string
	before := len(e.Usages)
	items(details.get("results"), func(result value) {
		f := members(result)
		id := f.str("id")
		n := len(e.Usages)
		if e.usage("task", f.get("usage")); len(e.Usages) > n && id != "" {
			e.Usages[n].Tasks = []string{id}
			e.Usages[n].Provider, e.Usages[n].Model = splitModel(f.str("resolvedModel"))
		}
		if id != "" {
			ids = append(ids, id)
		}
	})
	if len(e.Usages) > before {
		return
	}
	if e.usage("task", details.get("usage")); len(e.Usages) > before {
		e.Usages[before].Tasks = ids
	}
}

// decodeExecution reads a command the user ran himself: call and result in one.
func (e *Entry) decodeExecution(tool string, command value, f fields) {
	e.Tool = tool
	e.Text.Call, e.Text.Output = str(command), f.str("output")
	r := &ToolResult{Name: tool, ByUser: true}
	r.exit(f.get("exitCode"))
	r.Truncated = isTrue(f.get("truncated")) || truncated(e.Text.Output)
	if isTrue(f.get("cancelled")) {
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
	items(files, func(file value) {
		f := members(file)
		path := f.str("path")
		paths = append(paths, path)
		texts = append(texts, f.str("content"))
		e.touch("mention", path)
		if image := f.get("image"); image.Exists() && !isNull(image) {
			data, _ := member(image, "data")
			e.image(data)
		}
	})
	e.Text.Call, e.Text.Output = lines(paths...), lines(texts...)
}

// attachmentText is the text of files attached to a user message by pi up to 0.30.
func (e *Entry) attachmentText(attachments value) string {
	var parts []string
	items(attachments, func(a value) {
		f := members(a)
		if f.str("type") == "image" {
			e.image(f.get("content"))
		}
		parts = append(parts, f.str("fileName"), f.str("extractedText"))
	})
	return lines(parts...)
}

// sectionText is the text of the named sections of a system prompt.
func sectionText(sections value) string {
	var parts []string
	each(sections, func(_ string, v value) { parts = append(parts, str(v)) })
	return lines(parts...)
}

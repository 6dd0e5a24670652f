package compose

import (
	"errors"
	"fmt"
	"strings"
)

// shapes names the entry types that a system writes, and what each holds in the
// order of the file: NAME:KIND, NAME? if it may be left out, and @ where id,
// parentId and timestamp stand if not at the beginning.
func shapes(system string) map[string]string {
	all := map[string]string{
		"message":        "message:object",
		"custom":         "customType:text data? @",
		"label":          "targetId:id label?:text",
		"branch_summary": "fromId?:id summary:text details? usage?:usage fromHook?:flag",
	}
	switch system {
	case "omp":
		all["branch_summary"] = "fromId?:id summary:text details? fromExtension?:flag"
		all["custom_message"] = "customType:text content:content display:flag details? attribution?:text @"
		all["thinking_level_change"] = "thinkingLevel:level configured?:level"
		all["model_change"] = "model:text role?:text resolvedModelIsFallback?:flag"
		all["compaction"] = "summary:text shortSummary?:text firstKeptEntryId?:id tokensBefore:number tokensAfter?:number method?:text" +
			" providerReplayThroughEntryId?:id details? fromExtension?:flag preserveData?:object"
		all["session_init"] = "systemPrompt:text task:text tools:texts"
		all["ttsr_injection"] = "injectedRules:texts"
		all["mode_change"] = "mode:text data?:object"
		all["service_tier_change"] = "serviceTier"
		all["model_usage"] = "purpose:text role?:text api:text provider:text model:text usage:usage stopReason:text errorMessage?:text"
		all["title_change"] = "title:text source:giver previousTitle?:text trigger?:text"
		all["credential_pin"] = "provider:text hash:text"
		all["reset_boundary"] = ""
		return all
	case "pi":
		all["custom_message"] = "customType:text content:content display:flag details? @"
		all["usage"] = "kind:text provider:text model:text usage:usage note?:text"
		all["context_edit"] = "targetId:id replacement:edit"
	}
	all["session_info"] = "name:text"
	all["thinking_level_change"] = "thinkingLevel:text"
	all["model_change"] = "provider:text modelId:text"
	all["compaction"] = "summary:text firstKeptEntryId?:id tokensBefore:number details? usage?:usage fromHook?:flag systemMessage?:object"
	return all
}

// messageShapes names the roles that a system keeps in messages, and what each
// needs for the system to read it.
func messageShapes(system string) map[string]string {
	all := map[string]string{
		"user":          "content:content",
		"assistant":     "content:blocks api?:text provider:text model:text usage:usage stopReason:text",
		"toolResult":    "toolCallId:text toolName:text content:blocks isError:flag",
		"bashExecution": "command:text output:text exitCode?:number cancelled:flag truncated:flag",
		"custom":        "customType:text content:content display:flag",
	}
	switch system {
	case "rust": // it loses a message that lacks one of these
		all["assistant"] = strings.ReplaceAll(all["assistant"], "?", "")
		all["bashExecution"] = strings.ReplaceAll(all["bashExecution"], "?", "")
		all["custom"] = "customType:text content:text display:flag"
	case "pi":
		all["system"] = "content:content"
	case "omp":
		all["developer"] = "content:content"
		all["hookMessage"] = all["custom"]
		all["pythonExecution"] = "code:text output:text exitCode?:number cancelled:flag truncated:flag"
		all["fileMention"] = "files:list"
	}
	return all
}

// check reports what keeps a value from being of a kind; "" takes any.
func check(kind string, v value) error {
	ok, want := true, kind
	switch kind {
	case "text":
		ok, want = v.IsString(), "a string"
	case "id":
		ok, want = v.Str() != "", "an entry id"
	case "giver":
		ok, want = v.Str() == "auto" || v.Str() == "user", "auto or user"
	case "number":
		ok, want = v.IsNumber(), "a number"
	case "flag":
		ok, want = v.IsBool(), "true or false"
	case "object":
		ok, want = v.IsObject(), "an object"
	case "list":
		ok, want = v.IsArray(), "an array"
	case "level":
		ok, want = v.IsString() || v.IsNull(), "a string or null"
	case "texts":
		ok, want = v.IsArray(), "an array of strings"
		for item := range v.Items() {
			ok = ok && item.IsString()
		}
	case "blocks":
		return checkBlocks(v)
	case "content":
		if v.IsString() {
			return nil
		}
		return checkBlocks(v)
	case "usage":
		return checkUsage(v)
	case "edit":
		content := v.Get("content")
		if v.IsObject() {
			return check("content", content)
		}
		ok, want = v.IsNull(), `null or {"content": …}`
	}
	if !ok {
		return fmt.Errorf("not %s", want)
	}
	return nil
}

// checkBlocks wants blocks that every reader gets along with.
func checkBlocks(content value) error {
	if !content.IsArray() {
		return errors.New("neither a string nor an array of blocks, as its place takes")
	}
	n := 0
	for block := range content.Items() {
		n++
		kind := block.Get("type").Str()
		if kind == "" {
			return fmt.Errorf("block %d has no type", n)
		}
		if kind == "toolCall" && !block.Get("arguments").IsObject() {
			return fmt.Errorf("block %d of type toolCall: arguments is not an object", n)
		}
		shape := map[string]string{"text": "text", "thinking": "thinking", "image": "data mimeType", "toolCall": "id name"}[kind]
		for _, name := range strings.Fields(shape) {
			if !block.Get(name).IsString() {
				return fmt.Errorf("block %d of type %s: %s is not a string", n, kind, name)
			}
		}
	}
	return nil
}

// checkUsage wants the numbers that pi adds up without looking.
func checkUsage(usage value) error {
	for _, name := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		if !usage.Get(name).IsNumber() {
			return fmt.Errorf("%s is not a number", name)
		}
	}
	if !usage.Get("cost").Get("total").IsNumber() {
		return errors.New("cost.total is not a number")
	}
	return nil
}

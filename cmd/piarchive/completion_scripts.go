package main

// completionScripts are the scripts by shell. They know nothing of commands and
// flags: they hand the command line to __complete and show its answer.
var completionScripts = map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}

// Bash 3.2, which macOS has, lacks compopt and mapfile.
const bashCompletion = `# bash completion for piarchive
_piarchive() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(COLUMNS=${COLUMNS:-80} command piarchive __complete -- bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "$COMP_TYPE" 2>/dev/null)
    case ${COMPREPLY[0]-} in
    $'\tfiles') COMPREPLY=() ;;
    $'\tdirs') COMPREPLY=(); compopt +o default -o dirnames 2>/dev/null ;;
    *:) compopt +o default -o nosort -o nospace 2>/dev/null ;;
    *) compopt +o default -o nosort 2>/dev/null ;;
    esac
}
complete -o default -F _piarchive piarchive
`

// _describe takes "value:description", so a colon of the value is escaped. It
// gives values as they are to compadd, which quotes what it inserts.
const zshCompletion = `#compdef piarchive
_piarchive() {
    local line value about
    local -a closed open
    for line in ${(f)"$(command piarchive __complete -- zsh "${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null)"}; do
        case $line in
        ($'\t'*)
            [[ $PREFIX == --*=* ]] && compset -P '*='
            if [[ $line == *dirs ]]; then _files -/; else _files; fi
            return ;;
        esac
        value=${line%%$'\t'*}
        about=${line#*$'\t'}
        line=${${value//\\/\\\\}//:/\\:}${${line#$value}:+:$about}
        if [[ $value == *: ]]; then open+=("$line"); else closed+=("$line"); fi
    done
    _describe -V value closed -- open -S ''
}
if [[ $funcstack[1] == _piarchive ]]; then
    _piarchive "$@"
else
    compdef _piarchive piarchive
fi
`

// Fish takes the lines of a command substitution as they are, and quotes what it
// inserts. The second rule lets it complete paths; it asks again, for nothing
// says in which order fish looks at the rules.
const fishCompletion = `# fish completion for piarchive
function __piarchive
    command piarchive __complete -- fish (commandline -cp | string collect) 2>/dev/null
end
function __piarchive_wants_paths
    string match -q -- \t'*' (__piarchive)
end
complete -c piarchive -e
complete -c piarchive -k -f -a '(__piarchive | string match -v -- \t"*")'
complete -c piarchive -n __piarchive_wants_paths -F
`

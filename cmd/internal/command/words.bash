# __polya_words does what bash-completion's _get_comp_words_by_ref does, where that
# package is not there: it sets words and cword to what bash has split at = and :,
# joined again, and cur to the part of the last word that is before the cursor.
__polya_words()
{
    local line=${COMP_LINE:0:COMP_POINT} word blank i
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${line%%[![:blank:]]*}
        line=${line#"$blank"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$line
        if ((i == 0)) || [[ -n $blank ]]; then
            words+=("$word")
        else
            words[${#words[@]}-1]+=$word
        fi
        line=${line#"$word"}
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
}

# __polya_files does what bash-completion's _filedir does.
__polya_files()
{
    local IFS=$'\n' kind=-f
    [[ ${1-} != -d ]] || kind=-d
    COMPREPLY=($(compgen "$kind" -- "$cur"))
}


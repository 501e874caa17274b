//! `blackfield completions SHELL`: the shell's completion script on standard output.

use crate::args::{Cli, CompletionsArgs};
use crate::output;
use blackfield::Result;
use clap::{CommandFactory, ValueHint};
use clap_complete::Shell;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "blackfield", &mut script);
    let script = String::from_utf8_lossy(&script);
    match args.shell {
        Shell::Bash => output::print(&bash_with_files(&script)),
        Shell::Elvish => output::print(&elvish_with_files(&script)),
        _ => output::print(&script),
    }
}

/// The subcommands whose operands are files.
fn of_files() -> Vec<String> {
    let is_file = |hint: ValueHint| matches!(hint, ValueHint::FilePath | ValueHint::AnyPath | ValueHint::DirPath);
    let takes = |command: &&clap::Command| command.get_positionals().any(|operand| is_file(operand.get_value_hint()));
    Cli::whole().get_subcommands().filter(takes).map(|command| command.get_name().to_string()).collect()
}

/// Where clap's script for bash offers the options in the place of a file, it leaves the word to bash, which completes
/// names of files (`complete -o default`).
fn bash_with_files(script: &str) -> String {
    let (labels, mut inside) = (of_files().into_iter().map(|name| format!("__{name})")).collect::<Vec<_>>(), false);
    let line = |line: &str| {
        let word = line.trim();
        match word {
            ";;" if line.starts_with("        ;;") || line == "            ;;" => inside = false,
            _ if word.starts_with("blackfield__") && word.ends_with(')') => {
                let help = word.contains("help__");
                inside = !help && labels.iter().any(|label| word.ends_with(label.as_str()));
            }
            _ => {}
        }
        let options = "            COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )";
        match inside {
            true if line == options => "            COMPREPLY=()\n".to_string(),
            true if word.starts_with("if [[ ${cur} == -* || ${COMP_CWORD} -eq ") => {
                "            if [[ ${cur} == -* ]] ; then\n".to_string()
            }
            _ => format!("{line}\n"),
        }
    };
    script.lines().map(line).collect()
}

/// Elvish is to offer names of files where a subcommand takes them. Clap's script takes every word before the first
/// option for the name of a subcommand, and fails after an operand.
fn elvish_with_files(script: &str) -> String {
    const WORDS: &str = "
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }";
    const OFFER: &str = "
    $completions[$command]
}";
    let offer = format!(
        "
    for word $words[1..-1] {{
        if (not (has-key $completions $command';'$word)) {{
            break
        }}
        set command = $command';'$word
    }}
    var takes-files = (has-value [{}] (str:trim-prefix $command 'blackfield;'))
    if (and $takes-files (not (str:has-prefix $words[-1] '-'))) {{
        edit:complete-filename $words[-1]
    }} else {{
        $completions[$command]
    }}
}}",
        of_files().join(" ")
    );
    script.replacen(WORDS, "", 1).replacen(OFFER, &offer, 1)
}

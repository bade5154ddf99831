// The words that can follow each command are listed; files complete as ever.
#include "backend/driver/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace dvm::driver {

namespace {

struct Flag {
  std::string word;         // --workers
  std::string description;  // one line
};

struct Command {
  std::string name, description;
  std::vector<Flag> flags;
};

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\'' || c == '[' || c == ']' || c == ':') c = ' ';
  }
  return text;
}

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    Command command{sub->get_name(), one_line(sub->get_description()), {}};
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_snames())
        command.flags.push_back({"-" + name, one_line(option->get_description())});
      for (const std::string& name : option->get_lnames())
        command.flags.push_back({"--" + name, one_line(option->get_description())});
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string words(const Command& command) {
  std::vector<std::string> all;
  for (const Flag& flag : command.flags) all.push_back(flag.word);
  return fmt::format("{}", fmt::join(all, " "));
}

std::string bash_script(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const Command& command : commands) {
    names.push_back(command.name);
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, words(command));
  }
  return fmt::format(R"(# bash completion of dvmc: source <(dvmc completion bash)
_dvmc() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _dvmc dvmc
)",
                     fmt::join(names, " "), cases);
}

std::string zsh_script(const std::vector<Command>& commands) {
  std::string list, cases;
  for (const Command& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, command.description);
    cases += fmt::format("    {}) _arguments", command.name);
    for (const Flag& flag : command.flags)
      cases += fmt::format(" '{}[{}]'", flag.word, flag.description);
    cases += " '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef dvmc
# zsh completion of dvmc: source <(dvmc completion zsh)
_dvmc() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
compdef _dvmc dvmc
)",
                     list, cases);
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string text = "# fish completion of dvmc: dvmc completion fish | source\n";
  for (const Command& command : commands) {
    text += fmt::format("complete -c dvmc -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, command.description);
    for (const Flag& flag : command.flags) {
      const bool is_long = flag.word.starts_with("--");
      text += fmt::format("complete -c dvmc -n '__fish_seen_subcommand_from {}' -{} {} -d '{}'\n",
                          command.name, is_long ? 'l' : 's', flag.word.substr(is_long ? 2 : 1),
                          flag.description);
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const auto commands = commands_of(app);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  return fish_script(commands);
}

}  // namespace dvm::driver

// One function per group of options, one per command.
#include "backend/driver/arguments.hpp"

#include <functional>

namespace dvm::driver {

namespace {

// CLI11 would let a list option swallow the words after its first one.
CLI::Option* one_word_each(CLI::Option* option) { return option->allow_extra_args(false); }

void add_messages(CLI::App& command, Options& options) {
  command.add_option("--diagnostics", options.diagnostics, "Write messages as text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORM");
  command
      .add_option_function<std::string>(
          "-W", [&options](const std::string&) { options.warnings_are_errors = true; },
          "-Werror: end with status 1 when there are warnings")
      ->check(CLI::IsMember({"error"}))
      ->type_name("error");
}

void add_sources(CLI::App& command, Options& options) {
  one_word_each(command.add_option("-I", options.compile.include_folders,
                                   "Look for imported modules here too"))
      ->type_name("FOLDER");
  command.add_option("--entry", options.compile.entry, "Function to compile (default: main)")
      ->type_name("NAME");
}

void add_code_generation(CLI::App& command, Options& options) {
  command.add_flag("--contract", options.compile.contract,
                   "Round a product and the sum it feeds together, once: other results");
  command
      .add_option("--cpu", options.compile.cpu,
                  "Processor to compile for: native, x86-64-v3, x86-64-v4, …")
      ->type_name("NAME");
  command
      .add_option("--machine", options.compile.machine,
                  "Machine or machine file to plan for (default: laptop)")
      ->type_name("FILE");
}

void add_time_passes(CLI::App& command, Options& options) {
  command
      .add_flag("--time-passes{text}", options.compile.time_passes,
                "Print what each pass took and did; --time-passes=json for programs")
      ->check(CLI::IsMember({"text", "json"}));
}

void add_passes(CLI::App& command, Options& options) {
  auto& compile = options.compile;
  one_word_each(
      command.add_option("--disable", compile.disabled, "Leave out a pass (see dvmc passes)"))
      ->type_name("PASS");
  command
      .add_option("--bisect", compile.bisect, "Run only the first N passes that may be left out")
      ->type_name("N");
  command.add_flag("--verify-each", compile.verify_each, "Check the graph after each pass");
  command.add_flag("--validate", compile.validate,
                   "Compare the graph before and after each pass in the interpreter, on random "
                   "inputs");
  add_time_passes(command, options);
  command
      .add_option("--dump-dir", compile.dump_folder,
                  "Write the graph after each pass that changed it")
      ->type_name("FOLDER");
}

CLI::App* add_command(CLI::App& app, Options& options, const std::string& name,
                      const std::string& what, const std::string& example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer("Example: " + example);
  command->callback([&options, name] { options.command = name; });
  return command;
}

void add_file(CLI::App& command, Options& options, const std::string& what) {
  command.add_option("file", options.file, what)->required()->type_name("FILE");
}

void add_run(CLI::App& app, Options& options) {
  CLI::App* run =
      add_command(app, options, "run", "Run a program (.dvm) or a package (.dvmp)",
                  "dvmc run examples/prefix_sums.dvm ints='[1, 2, 3]' xs=xs.npy -o sums.npz");
  add_file(*run, options, "Program or package");
  run->add_option("inputs", options.inputs,
                  "name=3.5, name='[1, 2]', name=file.npy or name=@file.npz:key")
      ->type_name("NAME=VALUE");
  run->add_option("-o,--output", options.output,
                  "Write results to out.npy, out.npz or a folder out/")
      ->type_name("PATH");
  run->add_flag("--show", options.show, "Print results, also when they are written or large");
  run->add_option("--engine", options.engine, "local, or interpreter (slow, for comparison)")
      ->check(CLI::IsMember({"local", "interpreter"}))
      ->type_name("NAME");
  run->add_flag("--check", options.check_laws,
                "Run in the interpreter and test that neutral elements are neutral and operators "
                "associative");
  run->add_option("--workers", options.workers, "Threads to run on (default: one per core)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  run->add_option("--repeat", options.repeat, "Run N times in one process")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  run->add_flag("--time{text}", options.time,
                "Print times to standard error; --time=json for programs")
      ->check(CLI::IsMember({"text", "json"}));
  run->add_flag("--no-cache", options.compile.no_cache,
                "Compile even if a compiled package is cached");
  add_sources(*run, options);
  add_code_generation(*run, options);
  add_passes(*run, options);
  add_messages(*run, options);
}

void add_compiling(CLI::App& app, Options& options) {
  CLI::App* check = add_command(app, options, "check", "Report errors and warnings of a program",
                                "dvmc check examples/cg.dvm");
  add_file(*check, options, "Program");
  check->add_flag(
      "--fix", options.fix,
      "Apply the suggestions that have no alternative to the program, then check again");
  add_sources(*check, options);
  add_messages(*check, options);
  check->add_flag_callback(
      "--json", [&options] { options.diagnostics = "lines"; },
      "Write each message as a line of JSON, for editors");

  CLI::App* build = add_command(app, options, "build", "Compile a program to a package",
                                "dvmc build examples/cg.dvm -o cg.dvmp");
  add_file(*build, options, "Program");
  build
      ->add_option("-o,--output", options.output,
                   "Package to write (default: the program's name with .dvmp)")
      ->type_name("FILE");
  add_sources(*build, options);
  add_code_generation(*build, options);
  add_passes(*build, options);
  add_messages(*build, options);

  CLI::App* dump = add_command(app, options, "dump", "Print a program as it is after a stage",
                               "dvmc dump --after=graph examples/cg.dvm");
  add_file(*dump, options, "Program");
  dump->add_option("--after", options.after,
                   "tokens, layout, ast, check, graph, a pass, tasks, llvm or package")
      ->required()
      ->type_name("STAGE");
  add_sources(*dump, options);
  add_code_generation(*dump, options);
  add_passes(*dump, options);
  add_messages(*dump, options);
}

void add_explain(CLI::App& app, Options& options) {
  CLI::App* explain = add_command(app, options, "explain",
                                  "Show what the passes made of each line's arrays, and why",
                                  "dvmc explain examples/kmeans.dvm --size n=100000 --size d=8");
  add_file(*explain, options, "Program");
  one_word_each(explain->add_option("--size", options.sizes,
                                    "Count with a number instead of a name of the formulas"))
      ->type_name("NAME=N");
  explain
      ->add_option("--html", options.html,
                   "Write a page with the graph before and after (needs Graphviz)")
      ->type_name("FILE");
  explain->add_flag("--json", options.json, "Write JSON");
  add_sources(*explain, options);
  explain->add_flag("--contract", options.compile.contract,
                    "Round a product and the sum it feeds together, once: other results");
  one_word_each(explain->add_option("--disable", options.compile.disabled,
                                    "Leave out a pass (see dvmc passes)"))
      ->type_name("PASS");
  add_messages(*explain, options);
}

void add_repl(CLI::App& app, Options& options) {
  CLI::App* repl = add_command(app, options, "repl", "Evaluate expressions at a prompt",
                               "dvmc repl examples/cg.dvm");
  repl->add_option("file", options.file, "Program to load")->type_name("FILE");
  repl->add_option("--engine", options.engine, "local, or interpreter")
      ->check(CLI::IsMember({"local", "interpreter"}))
      ->type_name("NAME");
  repl->add_option("--workers", options.workers, "Threads to run on (default: one per core)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  one_word_each(
      repl->add_option("-I", options.compile.include_folders, "Look for imported modules here too"))
      ->type_name("FOLDER");
  add_code_generation(*repl, options);
  add_passes(*repl, options);
  add_messages(*repl, options);
}

void add_graphs_and_packages(CLI::App& app, Options& options) {
  CLI::App* opt = add_command(app, options, "opt",
                              "Run passes over a graph (.dvg) or program (.dvm), print the graph",
                              "dvmc opt --validate examples/kmeans.dvm");
  add_file(*opt, options, "Graph or program; - reads a graph from standard input");
  one_word_each(opt->add_option("--passes", options.passes,
                                "Passes to run, in this order (default: of a program, and with "
                                "--validate, those of build; of a graph, none)"))
      ->delimiter(',')
      ->type_name("A,B");
  add_sources(*opt, options);
  add_passes(*opt, options);
  add_messages(*opt, options);
  opt->add_flag("--tasks", options.tasks, "Go on to tasks and print them instead of the graph");
  add_code_generation(*opt, options);

  add_command(app, options, "passes", "List the passes", "dvmc passes");

  CLI::App* inspect =
      add_command(app, options, "inspect", "Print what a package holds", "dvmc inspect cg.dvmp");
  add_file(*inspect, options, "Package");
  add_messages(*inspect, options);
}

void add_doc(CLI::App& app, Options& options) {
  CLI::App* doc = add_command(app, options, "doc", "Make pages of documentation, or test examples",
                              "dvmc doc stdlib/*.dvm -o pages");
  doc->add_option("files", options.files, "Modules")->required()->type_name("FILE");
  doc->add_option("-o,--output", options.output, "Write one page for each module and an index here")
      ->type_name("FOLDER");
  doc->add_option("--format", options.format, "Pages as html or markdown")
      ->check(CLI::IsMember({"html", "markdown"}))
      ->type_name("FORM");
  doc->add_flag("--test", options.test_examples,
                "Run the examples (`>>> expression`) in comments and compare their values");
  doc->add_flag("--complete", options.complete,
                "Everything exported must have a description and an example");
  one_word_each(
      doc->add_option("-I", options.compile.include_folders, "Look for imported modules here too"))
      ->type_name("FOLDER");
  add_messages(*doc, options);
}

void add_text_tools(CLI::App& app, Options& options) {
  CLI::App* format = add_command(app, options, "fmt", "Lay out programs in the standard way",
                                 "dvmc fmt --check examples/*.dvm");
  format->add_option("files", options.files, "Programs, rewritten in place; - reads standard input")
      ->required()
      ->type_name("FILE");
  format->add_flag("--check", options.check_only,
                   "Change nothing; list files that would change, status 1 if any");
  add_messages(*format, options);

  CLI::App* explain = add_command(app, options, "explain-error",
                                  "Explain an error's code with a failing and a mended program",
                                  "dvmc explain-error size-mismatch");
  explain->add_option("code", options.error_code, "What stands in brackets; without: list all")
      ->type_name("CODE");
  add_messages(*explain, options);

  CLI::App* completion =
      add_command(app, options, "completion", "Print a shell's completion script",
                  "source <(dvmc completion bash)");
  completion->add_option("shell", options.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
}

}  // namespace

void describe_commands(CLI::App& app, Options& options) {
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer("`dvmc COMMAND --help` says more, with an example.");
  add_run(app, options);
  add_compiling(app, options);
  add_explain(app, options);
  add_repl(app, options);
  add_graphs_and_packages(app, options);
  add_doc(app, options);
  add_text_tools(app, options);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

}  // namespace dvm::driver

// Modules: files, order, cycles, fixities across modules.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "parse_fixture.hpp"

namespace fs = std::filesystem;
using namespace dvm;

namespace {

// A folder of modules that vanishes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("dvm-parse-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

struct Result {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<ast::Program> program;

  std::string modules() const {
    std::string names;
    if (program) {
      for (const auto& module : program->modules) names += (names.empty() ? "" : " ") + module.name;
    }
    return names;
  }
  std::string first_message() const {
    const auto all = diagnostics.sorted();
    return all.empty() ? "" : all[0].code + ": " + all[0].message;
  }
};

Result load(const Folder& folder, const std::string& text, bool prelude = false) {
  Result result;
  parse::ModuleSearch search;
  search.folders = {folder / "lib"};
  search.prelude = prelude;
  result.program =
      parse::load(result.sources, folder / "main.dvm", text, search, result.diagnostics);
  return result;
}

}  // namespace

TEST_CASE("load: imports before importers, each module once") {
  Folder folder;
  folder.write("A/B.dvm", "module A.B where\nimport C\nb = c\n");
  folder.write("lib/C.dvm", "module C where\nc = 1\n");
  const Result result = load(folder, "import A.B\nimport C\nx = b\n");
  CHECK(result.first_message() == "");
  CHECK(result.modules() == "C A.B Main");
}

TEST_CASE("load: the Prelude is imported last and not into itself") {
  Folder folder;
  folder.write("lib/Prelude.dvm", "module Prelude where\ninfixr 5 ++\na ++ b = a\n");
  const Result result = load(folder, "module M where\nx = a ++ b ++ c\n", true);
  REQUIRE(result.program);
  CHECK(result.modules() == "Prelude M");
  const ast::Module& main = result.program->modules.back();
  REQUIRE(main.imports.size() == 1);
  CHECK(main.imports[0].module == "Prelude");
  CHECK_FALSE(main.imports[0].span.valid());
  CHECK(result.program->modules[0].imports.empty());
  const auto& decl = std::get<ast::FunctionDecl>(result.program->arena.decls[main.decls[0]].node);
  const auto& top = std::get<ast::Binary>(
      result.program->arena.exprs[decl.clauses[0].rhs.alternatives[0].body].node);
  CHECK(std::holds_alternative<ast::Binary>(result.program->arena.exprs[top.rhs].node));
  CHECK(ast::print(*result.program, main) == "module M where\n\nx = a ++ b ++ c\n");
}

TEST_CASE("load: fixities follow imports, hiding, qualification and export lists") {
  Folder folder;
  folder.write("Ops.dvm",
               "module Ops (T(..), (+++)) where\ninfixr 5 +++\ninfixr 5 ***\ninfixr 5 :+\ndata T = "
               "Int :+ Int\na +++ b = a\na *** b = a\n");
  auto right_associated = [&](const std::string& text) {
    const Result result = load(folder, text);
    REQUIRE(result.program);
    const ast::Module& main = result.program->modules.back();
    const auto& decl = std::get<ast::FunctionDecl>(result.program->arena.decls[main.decls[0]].node);
    const auto& top = std::get<ast::Binary>(
        result.program->arena.exprs[decl.clauses[0].rhs.alternatives[0].body].node);
    return std::holds_alternative<ast::Binary>(result.program->arena.exprs[top.rhs].node);
  };
  CHECK(right_associated("import Ops\nx = a +++ b +++ c\n"));
  CHECK(right_associated("import Ops ((+++))\nx = a +++ b +++ c\n"));
  CHECK(right_associated("import Ops (T(..))\nx = a :+ b :+ c\n"));
  CHECK(right_associated("import qualified Ops as O\nx = a O.+++ b O.+++ c\n"));
  CHECK_FALSE(right_associated("import qualified Ops as O\nx = a +++ b +++ c\n"));
  CHECK_FALSE(right_associated("import Ops hiding ((+++))\nx = a +++ b +++ c\n"));
  CHECK_FALSE(right_associated("import Ops\nx = a *** b *** c\n"));
  CHECK_FALSE(right_associated("import Ops\nx = a +++ b +++ c\n  where a +++ b = a\n"));
}

TEST_CASE("load: cycles, missing modules, wrong names") {
  Folder folder;
  folder.write("A.dvm", "module A where\nimport B\n");
  folder.write("B.dvm", "module B where\nimport A\n");
  folder.write("Wrong.dvm", "module Right where\n");
  CHECK(load(folder, "import A\n").first_message() ==
        "import-cycle: modules import each other: A -> B -> A");
  CHECK(load(folder, "module M where\nimport M\n").first_message() ==
        "import-cycle: modules import each other: M -> M");
  CHECK(load(folder, "import Wrong\n").first_message() ==
        "module-name-mismatch: the module in this file is called `Right`, not `Wrong`");
  const Result missing = load(folder, "import No.Where\n");
  CHECK(missing.first_message() == "module-not-found: there is no module `No.Where`");
  CHECK(missing.diagnostics.sorted()[0].notes ==
        std::vector<std::string>{"looked at " + (folder / "No/Where.dvm"),
                                 "looked at " + (folder / "lib/No/Where.dvm")});
  CHECK(load(folder, "x = 1\n", true).first_message() ==
        "module-not-found: there is no module `Prelude`");
}

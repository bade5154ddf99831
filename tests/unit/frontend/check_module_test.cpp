// Modules (language page, section 3): exports, imports, qualified names, clashes, cycles, fixities.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontend/check/check.hpp"
#include "frontend/parse/parse.hpp"

namespace fs = std::filesystem;
using namespace dvm;

namespace {

struct File {
  std::string name, text;
};

// Checks a program of several files; `main.dvm` is the one given to dvmc, `lib/` is given with -I.
struct Program {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<ast::Program> program;
  std::optional<typed::Program> typed;

  Program(const std::string& text, const std::vector<File>& files) {
    const fs::path folder =
        fs::temp_directory_path() / ("dvm-modules-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const File& file : files) {
      fs::create_directories((folder / file.name).parent_path());
      std::ofstream(folder / file.name) << file.text;
    }
    parse::ModuleSearch search;
    search.folders = {(folder / "lib").string(), std::string(DVM_SOURCE_FOLDER) + "/stdlib"};
    program = parse::load(sources, (folder / "main.dvm").string(), text, search, diagnostics);
    if (program) typed = check::check(*program, sources, diagnostics);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  std::string type_of(const std::string& name) const {
    if (!typed) return render_text(diagnostics, sources);
    for (const auto& binding : typed->bindings)
      if (binding.name == name && binding.span.file == program->modules.back().file)
        return typed::to_text(*typed, binding.scheme);
    return "no binding " + name;
  }
  // All messages with their help, one a line; "" when there are none.
  std::string said() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted()) {
      text += diagnostic.code + ": " + diagnostic.message;
      for (const std::string& help : diagnostic.help) text += " | " + help;
      for (const Suggestion& way : diagnostic.suggestions) text += " | " + way.text;
      text += "\n";
    }
    return text;
  }
};

std::string type_of(const std::string& text, const std::vector<File>& files,
                    const std::string& name = "main") {
  return Program(text, files).type_of(name);
}
std::string said(const std::string& text, const std::vector<File>& files) {
  return Program(text, files).said();
}

const File shapes{"Shapes.dvm",
                  "module Shapes where\n"
                  "infixl 6 <+>\n"
                  "data Shape = Circle { radius :: Double } | Square { side :: Double }\n"
                  "type Pair a = (a, a)\n"
                  "area :: Shape -> Double\n"
                  "area (Circle r) = 3 * r * r\n"
                  "area (Square s) = s * s\n"
                  "(<+>) :: Int -> Int -> Int\n"
                  "a <+> b = a + 10 * b\n"
                  "secret = 7 :: Int\n"};

}  // namespace

TEST_CASE("a module without list exports all of its own, with a list what it says") {
  CHECK(type_of("import Shapes\nmain = area (Circle 1) + radius (Square 2)\n", {shapes}) ==
        "Double");
  const File listed{"A.dvm",
                    "module A (f, T (One), U (..), V, (<+>)) where\n"
                    "data T = One | Two\ndata U = U { u :: Int }\ndata V = V Int\n"
                    "f = 1 :: Int\ng = 2 :: Int\na <+> b = a - b :: Int\n"};
  CHECK(type_of("import A\nmain = (f <+> u (U 3), One)\n", {listed}) == "(Int, T)");
  CHECK(said("import A\nmain = g\n", {listed}).find("unknown-name: there is no name `g` here") ==
        0);
  CHECK(said("import A\nmain = Two\n", {listed}).find("unknown-name") == 0);
  CHECK(said("import A\nmain = V 3\n", {listed}).find("unknown-name") == 0);
  CHECK(type_of("import A\nf' :: V -> Int\nf' _ = 3\nmain = f\n", {listed}, "f'") == "V -> Int");
  CHECK(said("import A\nmain = f\n", {{"A.dvm", "module A (f, h) where\nf = 1 :: Int\nhh = 2\n"}})
            .find("unknown-name: there is no name `h` here") == 0);
  CHECK(said("import A\nmain = 1\n", {{"A.dvm", "module A (T (B)) where\ndata T = A Int\n"}})
            .find("there is no part of `T` `B` here") != std::string::npos);
}

// language 3: `module B` in an export list stands …
// language 3: two different things of one name cannot be exported.
TEST_CASE("a whole module is exported by name: what it imports from it, or its own") {
  const File all{"All.dvm",
                 "module All (module Shapes, module All) where\nimport Shapes\nown = 1 :: Int\n"};
  CHECK(type_of("import All\nmain = (area (Circle 1), own <+> 2 <+> 3)\n", {shapes, all}) ==
        "(Double, Int)");
  const File some{"Some.dvm",
                  "module Some (module S) where\nimport Shapes as S (area, Shape (..))\n"};
  CHECK(type_of("import Some\nmain = area (Circle 1)\n", {shapes, some}) == "Double");
  CHECK(said("import Some\nmain = secret\n", {shapes, some}).find("unknown-name") == 0);
  // A qualified import gives no unqualified name to export.
  const File none{"None.dvm", "module None (module Shapes) where\nimport qualified Shapes\n"};
  CHECK(said("import None\nmain = area\n", {shapes, none}).find("unknown-name") == 0);
  CHECK(said("import A\nmain = 1\n",
             {{"A.dvm", "module A (module Shape) where\nimport Shapes\n"}, shapes}) ==
        "unknown-name: there is no module `Shape` here | did you mean `Shapes`?\n");
  // Fixities come along: <+> is left-associative.
  CHECK(type_of("import All\nmain = 1 <+> 2 * 3 <+> 4\n", {shapes, all}) == "Int");
  CHECK(said("import A\nmain = 1\n",
             {shapes,
              {"B.dvm", "module B where\narea = 3 :: Int\n"},
              {"A.dvm", "module A (module Shapes, module B) where\nimport Shapes\nimport B\n"}})
            .find("ambiguous-name: two different names would be exported as `area`") == 0);
}

// language 3: Constructors and fields are imported and exported with their type …
TEST_CASE("constructors and fields are exported again by a module that imports them") {
  const File again{"Again.dvm", "module Again (Shape (..), area) where\nimport Shapes\n"};
  CHECK(type_of("import Again\nmain = side (Square 2) + area (Circle 1)\n", {shapes, again}) ==
        "Double");
}

TEST_CASE("imports: lists, hiding, qualified, as") {
  CHECK(type_of("import Shapes (area, Shape (Circle))\nmain = area (Circle 2)\n", {shapes}) ==
        "Double");
  CHECK(said("import Shapes (area)\nmain = secret\n", {shapes}).find("unknown-name") == 0);
  CHECK(said("import Shapes (Shape)\nmain = Circle 2\n", {shapes}).find("unknown-name") == 0);
  CHECK(type_of("import Shapes hiding (secret)\nsecret = True\nmain = (secret, area (Square 1))\n",
                {shapes}) == "(Bool, Double)");
  CHECK(type_of("import qualified Shapes\nmain = Shapes.area (Shapes.Circle 2)\n", {shapes}) ==
        "Double");
  CHECK(said("import qualified Shapes\nmain = area\n", {shapes}).find("unknown-name") == 0);
  CHECK(type_of("import qualified Shapes as S\nf :: S.Shape -> S.Pair Int\nf _ = (1 S.<+> 2, "
                "S.secret)\nmain = 1\n",
                {shapes}, "f") == "Shape -> (Int, Int)");
  CHECK(said("import qualified Shapes as S\nmain = Shapes.secret\n", {shapes})
            .find("there is no module `Shapes` here") != std::string::npos);
  CHECK(type_of("import Shapes qualified as S\nmain = S.secret\n", {shapes}) == "Int");
  // `as`, `hiding` and `qualified` are ordinary names elsewhere.
  CHECK(type_of("main = as + hiding\n  where\n    as = 1 :: Int\n    hiding = 2\n", {}) == "Int");
}

// language 3: what is not there is an error with the nearest name.
TEST_CASE("names that are not there are said with the nearest ones") {
  CHECK(said("import Shapes (aera)\nmain = 1\n", {shapes}) ==
        "unknown-import: module `Shapes` exports no `aera` | did you mean `area`?\n");
  CHECK(said("import Shapes (Shap (..))\nmain = 1\n", {shapes}).find("did you mean `Shape`?") !=
        std::string::npos);
  CHECK(
      said("import Shapes (Shape (Circel))\nmain = 1\n", {shapes}).find("did you mean `Circle`?") !=
      std::string::npos);
  CHECK(said("import Shapes (Circle)\nmain = 1\n", {shapes}) ==
        "unknown-import: `Circle` is imported with its type | write `Shape (Circle)`\n");
  CHECK(said("import Shape\nmain = 1\n", {shapes})
            .find("module-not-found: there is no module `Shape`") == 0);
}

TEST_CASE("a module's own and imported names win over the Prelude's; imports clash where used") {
  const File other{"Other.dvm", "module Other where\narea = 3 :: Int\nsum = 4 :: Int\n"};
  CHECK(type_of("import Other\nmain = sum\n", {other}) == "Int");
  CHECK(type_of("import Other\nsum = True\nmain = sum\n", {other}) == "Bool");
  CHECK(said("import Shapes\nimport Other\nmain = secret\n", {shapes, other}) == "");
  CHECK(said("import Shapes\nimport Other\nmain = area\n", {shapes, other})
            .find("ambiguous-name: `area` could be any of several imported names") == 0);
  CHECK(type_of("import Shapes\nimport Other\nmain = Other.area\n", {shapes, other}) == "Int");
  // The same thing by two ways is no clash.
  const File again{"Again.dvm", "module Again (area, Shape (..)) where\nimport Shapes\n"};
  CHECK(type_of("import Shapes\nimport Again\nmain = area (Circle 1)\n", {shapes, again}) ==
        "Double");
}

TEST_CASE("A.B is A/B.dvm beside the main file, then in -I folders, then in the library") {
  const File nested{"A/B.dvm", "module A.B where\nimport A.C\nx = y + 1\n"};
  const File below{"A/C.dvm", "module A.C where\ny = 2 :: Int\n"};
  CHECK(type_of("import A.B\nmain = A.B.x\n", {nested, below}) == "Int");
  CHECK(type_of("import A.B as Z\nmain = Z.x + x\n",
                {{"lib/A/B.dvm", "module A.B where\nx = 1.5 :: Double\n"}}) == "Double");
  CHECK(type_of("import A.B\nmain = x\n",
                {nested, below, {"lib/A/B.dvm", "module A.B where\nx = True\n"}}) == "Int");
  CHECK(type_of("import Math (normalCdf)\nmain = normalCdf 0.5\n", {}) == "Double");
}

TEST_CASE("cycles are refused with the cycle shown") {
  CHECK(said("module Main where\nimport A\nmain = 1\n",
             {{"A.dvm", "module A where\nimport B\n"}, {"B.dvm", "module B where\nimport A\n"}})
            .find("import-cycle: modules import each other: A -> B -> A") == 0);
}

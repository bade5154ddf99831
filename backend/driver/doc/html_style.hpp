// The look of the pages, part of each of them.
#pragma once

#include <string_view>

namespace dvm::driver {

inline constexpr std::string_view html_style = R"css(
:root { --ink: #1d2330; --soft: #5d6678; --paper: #ffffff; --shade: #f5f6f9; --line: #e2e5ec; --link: #1f5fbf;
  --name: #0b3d91; --type: #7a3e9d; --keyword: #a3315a; --number: #1c7a4d; --mono: ui-monospace, "SF Mono",
  "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe3ec; --soft: #97a0b3; --paper: #14171d; --shade: #1c2028;
  --line: #2c323e; --link: #86b3ff; --name: #a8c7ff; --type: #d3a8f0; --keyword: #f08fb4; --number: #7fd6a9; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--paper); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", "Helvetica Neue", "Noto Sans", sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: var(--mono); font-size: 0.9em; }
p code, li code { background: var(--shade); border-radius: 4px; padding: 0.1em 0.3em; }
.frame { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.6rem 1rem 2rem 1.2rem;
  border-right: 1px solid var(--line); font-size: 0.9rem; }
nav b { display: block; margin: 1.1rem 0 0.3rem; color: var(--soft); font-size: 0.75rem;
  letter-spacing: 0.06em; text-transform: uppercase; }
nav a { display: block; padding: 0.08rem 0; }
nav a.here { color: var(--ink); font-weight: 600; }
main { padding: 1.6rem 2.4rem 5rem; min-width: 0; }
h1 { font-size: 1.9rem; margin: 0 0 0.6rem; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; margin: 2.8rem 0 0.8rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h2 a, h2 a:hover { color: inherit; }
.overview { list-style: none; padding: 0; margin: 1.4rem 0 0; font-family: var(--mono); font-size: 0.82rem; }
.overview li { padding: 0.06rem 0 0.06rem 2em; text-indent: -2em; }
.entry { margin: 1.5rem 0 2rem; }
.entry:target .signature { border-left-color: var(--keyword); }
.signature { position: relative; background: var(--shade); border-left: 3px solid var(--link); border-radius: 0 6px 6px 0;
  padding: 0.45rem 4.6rem 0.45rem 2.7em; text-indent: -2em; font-family: var(--mono); font-size: 0.88rem;
  overflow-wrap: anywhere; }
.signature .source { position: absolute; right: 0.7rem; top: 0.5rem; font-family: system-ui, sans-serif;
  font-size: 0.75rem; color: var(--soft); text-indent: 0; }
.doc { padding-left: 1rem; }
.doc p { margin: 0.5rem 0; }
.part { font-family: var(--mono); font-size: 0.88rem; margin: 0.3rem 0; padding-left: 2em; text-indent: -2em; }
.part + .doc { padding-left: 2rem; }
.label { margin: 0.6rem 0 0.1rem; color: var(--soft); font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase; }
.examples { margin: 0.6rem 0; padding: 0.55rem 0.9rem; border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto; line-height: 1.5; }
.prompt { color: var(--soft); user-select: none; }
.value { color: var(--soft); }
.failure { color: var(--keyword); }
.name { color: var(--name); font-weight: 600; }
.type, a.type { color: var(--type); }
.keyword { color: var(--keyword); }
.number { color: var(--number); }
.modules dt { font-weight: 600; margin-top: 0.7rem; }
.modules dd { margin: 0 0 0 1rem; color: var(--soft); }
.letters { columns: 3 13rem; column-gap: 2rem; list-style: none; padding: 0; margin: 0.3rem 0 1rem; font-size: 0.88rem; }
.letters li { break-inside: avoid; }
.letters small { color: var(--soft); }
.listing { font-size: 0.82rem; line-height: 1.45; }
.listing span[id] { display: block; min-height: 1.45em; padding-left: 4.2em; text-indent: -4.2em; white-space: pre-wrap; }
.listing span[id]:target { background: var(--shade); }
.listing i { display: inline-block; width: 3.2em; margin-right: 1em; text-align: right; text-indent: 0; color: var(--soft);
  font-style: normal; user-select: none; opacity: 0.6; }
.comment { color: var(--soft); }
@media (max-width: 50rem) { .frame { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 0.5rem 1.2rem 3rem; } }
)css";

}  // namespace dvm::driver

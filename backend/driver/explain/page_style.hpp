// The look of the page of `dvmc explain --html`, part of it.
#pragma once

#include <string_view>

namespace dvm::driver {

inline constexpr std::string_view page_style = R"css(
:root { --ink: #1d2330; --soft: #5d6678; --paper: #ffffff; --shade: #f5f6f9; --line: #dfe3ea; --link: #1f5fbf;
  --kept: #dbe8fb; --kept-edge: #3b74c9; --fused: #dcf3e2; --fused-edge: #2e9355; --number: #fdf2d6; --number-edge: #c0902a;
  --gone: #eceef2; --gone-edge: #8b93a3; --outside: #f0e6fa; --outside-edge: #8a5cc0; --mono: ui-monospace, "SF Mono",
  "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe3ec; --soft: #97a0b3; --paper: #14171d; --shade: #1c2028;
  --line: #323946; --link: #86b3ff; --kept: #1d3050; --kept-edge: #6a9eea; --fused: #173824; --fused-edge: #57bd80;
  --number: #40331a; --number-edge: #d8ab4e; --gone: #2a2f39; --gone-edge: #79829a; --outside: #33254a;
  --outside-edge: #b08be0; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", "Helvetica Neue", "Noto Sans", sans-serif; }
main { max-width: 82rem; margin: 0 auto; padding: 1.6rem 2rem 5rem; }
h1 { font-size: 1.7rem; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 0.8rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 0.5rem; }
.soft { color: var(--soft); margin-top: 0.2rem; }
code { font-family: var(--mono); font-size: 0.9em; }
.summary { border-collapse: collapse; margin: 1.4rem 0; }
.summary th { text-align: left; font-size: 0.75rem; color: var(--soft); letter-spacing: 0.06em; text-transform: uppercase; }
.summary th, .summary td { padding: 0.25rem 1.4rem 0.25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.summary td:nth-child(2), .summary td:nth-child(4) { font-family: var(--mono); font-size: 0.9rem; }
.summary td:nth-child(4) { font-weight: 600; color: var(--fused-edge); }
.summary .same td { color: var(--soft); font-weight: 400; }
.summary .to { color: var(--soft); }
.reading p { max-width: 60rem; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.3rem 1.6rem; font-size: 0.9rem; }
.legend i { display: inline-block; width: 1.1em; height: 0.8em; margin-right: 0.5em; border: 1.5px solid; border-radius: 3px; }
.kept > i, .badge.kept { background: var(--kept); border-color: var(--kept-edge); }
.fused > i, .badge.fused { background: var(--fused); border-color: var(--fused-edge); }
.fused > i { border-style: dashed; }
.tiled > i, .badge.tiled { background: var(--fused); border-color: var(--kept-edge); }
.number > i, .badge.number { background: var(--number); border-color: var(--number-edge); }
.gone > i, .badge.gone, .badge.shared { background: var(--gone); border-color: var(--gone-edge); }
.gone > i { border-style: dashed; }
.outside > i { background: var(--outside); border-color: var(--outside-edge); }
.pictures { display: flex; flex-wrap: wrap; gap: 1.2rem; align-items: flex-start; }
figure { margin: 0; flex: 1 1 auto; max-width: 100%; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
figcaption { padding: 0.55rem 1rem; background: var(--shade); border-bottom: 1px solid var(--line); color: var(--soft); font-size: 0.9rem; }
figcaption b { color: var(--ink); margin-right: 0.6em; }
.scroll { padding: 1rem; text-align: center; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font-family: Helvetica, Arial, "Liberation Sans", sans-serif; }
svg .edge path { stroke: var(--soft); stroke-width: 1.2; }
svg .edge polygon { stroke: var(--soft); fill: var(--soft); }
svg .cluster path, svg .cluster polygon { stroke: var(--line); stroke-width: 1.5; fill: var(--shade); }
svg .cluster text { fill: var(--soft); }
svg .node path, svg .node polygon { stroke-width: 1.4; fill: var(--shade); stroke: var(--gone-edge); }
svg .node.kept path, svg .node.kept polygon { fill: var(--kept); stroke: var(--kept-edge); }
svg .node.fused path, svg .node.fused polygon { fill: var(--fused); stroke: var(--fused-edge); }
svg .node.tiled path, svg .node.tiled polygon { fill: var(--fused); stroke: var(--kept-edge); }
svg .node.number path, svg .node.number polygon { fill: var(--number); stroke: var(--number-edge); }
svg .node.shared path, svg .node.gone path { fill: var(--gone); stroke: var(--gone-edge); }
svg .node.input path, svg .node.output path { fill: var(--outside); stroke: var(--outside-edge); }
svg .node.state path { fill: var(--paper); stroke: var(--soft); }
svg a:hover path { stroke-width: 2.6; }
.listing { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; padding: 0.5rem 0; }
.line { display: flex; white-space: pre-wrap; line-height: 1.5; }
.line i { flex: 0 0 3.4rem; padding-right: 1rem; text-align: right; color: var(--soft); opacity: 0.7; font-style: normal;
  font-family: var(--mono); font-size: 0.8rem; user-select: none; }
.line:target { background: var(--number); }
.note { margin: 0.2rem 1rem 0.6rem 3.4rem; padding: 0.5rem 0.9rem; background: var(--shade); border-left: 3px solid var(--line);
  border-radius: 0 6px 6px 0; font-size: 0.9rem; }
.note p { margin: 0.2rem 0; }
.note code { background: var(--paper); border-radius: 4px; padding: 0 0.25em; }
.also { color: var(--soft); padding-left: 4.2rem; }
.badge { display: inline-block; min-width: 3.6rem; margin-right: 0.5rem; padding: 0 0.5em; border: 1px solid; border-radius: 999px;
  font-size: 0.78rem; text-align: center; }
.amounts { color: var(--soft); font-size: 0.82rem; }
.amounts span { margin-right: 1.2rem; }
.amounts b { font-family: var(--mono); font-weight: 500; }
.amounts .changed b { color: var(--fused-edge); }
)css";

}  // namespace dvm::driver
